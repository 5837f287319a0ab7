import { isAccepted, isAdmitted } from './collections.js'
import { isMember } from './members.js'
import { checkIds } from './tenant-ids.js'
import { isDivided, report, routesFor, type Pair } from './tenant-pair.js'
import { checkReferences } from './tenant-references.js'
import { jsonOf } from './written.js'
import type { CheckRequest, Target } from './model.js'

/** Checks what a tenant learns when another one writes, and what it can do with values of the other. */
export async function checkWrites(pair: Pair): Promise<void> {
  await checkCreations(pair)
  for (const target of pair.run.left()) {
    if (!isAdmitted(target.access[pair.one])) continue
    await checkReferences(pair, target)
    await checkIds(pair, target)
  }
}

/** A reply that is the same for the same request. */
interface StableRead {
  readonly target: Target
  readonly request: CheckRequest
  readonly text: string
}

async function stableReads({ run, one }: Pair): Promise<StableRead[]> {
  const reads: StableRead[] = []
  for (const target of routesFor(run, one, 'GET')) {
    const request = await run.valid(target, one)
    const { text, status } = await run.send(request)
    if (status === 200 && (await run.send(request)).text === text) reads.push({ target, request, text })
  }
  return reads
}

/** Creates records as the other tenant, and looks what they change for the first one. */
async function checkCreations(pair: Pair): Promise<void> {
  const { run } = pair
  const reads = await stableReads(pair)
  const created = await createAll(pair)
  for (const { target, request, text } of created.length === 0 ? [] : reads) {
    const again = await run.send(request)
    if (again.text !== text && again.status === 200) {
      await report(run, target, request, 'The reply changes when another tenant creates a record')
    }
  }
  for (const target of created) await checkConflicts(pair, target)
}

/** Creates a record in each collection as the other tenant; returns the routes that have accepted it. */
async function createAll(pair: Pair): Promise<Target[]> {
  const { run, other } = pair
  const created: Target[] = []
  for (const target of run.left(routesFor(run, other, 'POST'))) {
    if (!await isDivided(pair, target.path)) continue
    const observed = await run.send(await run.valid(target, other))
    run.known.forget()
    if (isAccepted(observed)) created.push(target)
  }
  return created
}

/** Sends the strings of another tenant's records: whether they are taken there must not matter. */
async function checkConflicts(pair: Pair, target: Target): Promise<void> {
  const { run, one, other } = pair
  // The routes that change a record of the collection.
  const changes = run.targets.filter((each) => ['PATCH', 'PUT'].includes(each.method) && isMember(each, target.path))
  for (const writing of [target, ...changes]) {
    for (const name of isAdmitted(writing.access[one]) ? run.fieldsOf(writing).keys() : []) {
      if (run.isOver() || run.isKnown(writing, 'tenant')) break
      // The caller may have made a value its own by the request before.
      const creation = await run.valid(target, other)
      const value = isAccepted(await run.send(creation)) ? jsonOf(creation)[name] : undefined
      if (typeof value === 'string') await checkConflict(pair, writing, name, value)
    }
  }
  run.known.forget()
}

async function checkConflict({ run, one }: Pair, target: Target, name: string, value: string): Promise<void> {
  const make = await run.known.maker(target, one)
  const [before, request] = [await run.send(make()), make({ [name]: value })]
  const { status } = await run.send(request)
  const isRefused = status === 409 || status === 422
  if (!isRefused || !isAccepted(before) || !isAccepted(await run.send(make()))) return
  await report(run, target, request, `The reply tells that a value of \`${name}\` is taken by another tenant`)
}
