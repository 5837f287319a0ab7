import { isAdmitted, type KnownRecord } from './collections.js'
import { collectionsOf, recordOf, type Collection } from './members.js'
import type { Run } from './run.js'
import type { CheckKind, CheckRequest, Target } from './model.js'

/** Checks that a repeated `Idempotency-Key` creates nothing, and that no caller is given the record of another. */
export async function checkKeys(run: Run): Promise<void> {
  for (const collection of run.left(collectionsOf(run))) await checkRepeated(collection)
  for (const create of run.targets.filter(({ method }) => method === 'POST')) {
    for (const [kind, ...pair] of run.left(pairsFor(run, create))) {
      if (run.isKnown(create, kind)) break
      await checkShared(run, create, kind, pair)
    }
  }
}

function withKey(run: Run, request: CheckRequest): CheckRequest {
  const key = `check-${run.known.next()}-${'k'.repeat(24)}`
  return { ...request, headers: { ...request.headers, 'idempotency-key': key } }
}

/** Sends a creation twice with one key, where the document has that header. */
async function checkRepeated({ run, caller, create }: Collection): Promise<void> {
  const parameters = create.operation?.parameters ?? []
  if (!parameters.some((one) => one.in === 'header' && /^idempotency-key$/i.test(one.name))) return
  const request = withKey(run, await run.valid(create, caller))
  const [one, again] = [recordOf(await run.send(request)), recordOf(await run.send(request))]
  run.known.forget()
  if (one?.id === undefined || again?.id === undefined || one.id === again.id) return
  await run.record(create, { request, about: 'what is read after it' }, { kind: 'data',
    message: 'Two requests with one `Idempotency-Key` create two records' })
}

type Pair = readonly [one: string, other: string]

/** Returns pairs of tenants, and two other callers, whom a route admits. */
function pairsFor(run: Run, target: Target): (readonly [kind: CheckKind, ...pair: Pair])[] {
  const { settings: { tenants }, sender: { callers } } = run
  const [one, other] = run.admitted(target).filter((name) => callers.get(name) !== null)
  const ofTenants = tenants.map((name, index) =>
    ['tenant', name, tenants[(index + 1) % tenants.length] ?? name] as const
  )
  const both = ofTenants.filter(([, ...pair]) => pair.every((name) => isAdmitted(target.access[name])))
  return one === undefined || other === undefined ? both : [...both, ['leak', one, other]]
}

/** Sends the key of one caller as another one: with the own body, and with the same one. */
async function checkShared(run: Run, create: Target, kind: CheckKind, [one, other]: Pair): Promise<void> {
  const first = withKey(run, await run.valid(create, one))
  const record = recordOf(await run.send(first))
  run.known.forget()
  if (record?.id === undefined) return
  const own = await run.valid(create, other)
  for (const { body } of [own, first]) {
    const request: CheckRequest = { ...first, caller: other, body }
    if (!isSame(record, recordOf(await run.send(request)))) continue
    // A route may have the same record for all keys.
    if (isSame(record, recordOf(await run.send(withKey(run, request))))) return
    return run.record(create, { request, about: `the key of \`${one}\`` }, { kind,
      message: 'An `Idempotency-Key` that another caller has sent is answered with the record of that caller' })
  }
  run.known.forget()
}

function isSame({ id }: KnownRecord, other: KnownRecord | undefined): boolean {
  return other?.id === id
}
