import { pathNamesOf } from '../../../core/index.js'
import { isAdmitted, type KnownRecord } from './collections.js'
import type { Run } from './run.js'
import { checkIds } from './tenant-ids.js'
import { isDivided, report, type Pair } from './tenant-pair.js'
import { checkReferences } from './tenant-references.js'
import { bodyPlanOf } from './values.js'
import { jsonOf } from './written.js'
import type { CheckRequest, Target } from './model.js'

/** Checks what a tenant learns when another one writes, and what it can do with values of the other. */
export async function checkWrites(run: Run, pair: Pair): Promise<void> {
  await checkCreations(run, pair)
  for (const target of run.targets) {
    if (run.isOver()) return
    if (!isAdmitted(target.access[pair.one])) continue
    await checkReferences(run, target, pair)
    await checkIds(run, target, pair)
  }
}

/** A reply that is the same for the same request. */
interface StableRead {
  readonly target: Target
  readonly request: CheckRequest
  readonly text: string
}

async function stableReads(run: Run, caller: string): Promise<StableRead[]> {
  const reads: StableRead[] = []
  for (const target of run.targets) {
    if (target.method !== 'GET' || pathNamesOf(target.path).length > 0 || !isAdmitted(target.access[caller])) continue
    const request = (await run.known.maker(target, caller))()
    const { text, status } = await run.send(request)
    if (status === 200 && (await run.send(request)).text === text) reads.push({ target, request, text })
  }
  return reads
}

/** Creates records as the other tenant, and looks what they change for the first one. */
async function checkCreations(run: Run, pair: Pair): Promise<void> {
  const reads = await stableReads(run, pair.one)
  const created = await createAll(run, pair)
  for (const { target: read, request, text } of created.length === 0 ? [] : reads) {
    const again = await run.send(request)
    if (again.text !== text && again.status === 200) {
      await report(run, read, request, 'The reply changes when another tenant creates a record')
    }
  }
  for (const target of created) await checkConflicts(run, target, pair)
}

/** Creates a record in each collection as the other tenant; returns the routes that have accepted it. */
async function createAll(run: Run, pair: Pair): Promise<Target[]> {
  const created: Target[] = []
  const collections = run.targets.filter(({ method, path, access }) =>
    method === 'POST' && pathNamesOf(path).length === 0 && isAdmitted(access[pair.other])
  )
  for (const target of collections) {
    if (run.isOver() || !await isDivided(run, target.path, pair)) continue
    const request = (await run.known.maker(target, pair.other))()
    const { status } = await run.send(request)
    run.known.forget()
    if (isAccepted(status)) created.push(target)
  }
  return created
}

function isAccepted(status: number): boolean {
  return status >= 200 && status < 300
}

/** Sends the strings of another tenant's records: whether they are taken there must not matter. */
async function checkConflicts(run: Run, target: Target, pair: Pair): Promise<void> {
  for (const writing of [target, ...changesBelow(run, target)]) {
    const names = isAdmitted(writing.access[pair.one]) ? bodyPlanOf(writing, run.resolve)?.fields.keys() ?? [] : []
    for (const name of names) {
      if (run.isOver() || run.isKnown(writing, 'tenant')) break
      // The caller may have made a value its own by the request before.
      const value = await createdValue(run, target, pair.other, name)
      if (typeof value === 'string') await checkConflict(run, writing, pair, { [name]: value })
    }
  }
  run.known.forget()
}

/** Creates a record, and returns the value that was sent for a field. */
async function createdValue(run: Run, target: Target, caller: string, name: string): Promise<unknown> {
  const request = (await run.known.maker(target, caller))()
  const { status } = await run.send(request)
  return isAccepted(status) ? jsonOf(request)[name] : undefined
}

/** Returns the routes that change a record of a collection. */
function changesBelow(run: Run, { path: collection }: Target): readonly Target[] {
  return run.targets.filter(({ method, path }) =>
    (method === 'PATCH' || method === 'PUT') && path.startsWith(`${collection}/:`)
    && !path.slice(collection.length + 1).includes('/')
  )
}

async function checkConflict(run: Run, target: Target, pair: Pair, fields: KnownRecord): Promise<void> {
  const make = await run.known.maker(target, pair.one)
  const [before, request] = [await run.send(make()), make(fields)]
  const { status } = await run.send(request)
  const isRefused = status === 409 || status === 422
  if (!isRefused || !isAccepted(before.status) || !isAccepted((await run.send(make())).status)) return
  const [name = ''] = Object.keys(fields)
  await report(run, target, request, `The reply tells that a value of \`${name}\` is taken by another tenant`)
}
