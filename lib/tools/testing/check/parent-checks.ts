import { pathNamesOf } from '../../../core/index.js'
import { inAnyState } from './checking.js'
import { isAccepted, argumentFor, collectionOf, isAdmitted, pathOf, readRequest, recordsIn, wordOf, type KnownRecord,
  type PathValues } from './collections.js'
import { collectionsOf, createIn, type Collection } from './members.js'
import type { Run } from './run.js'
import { missingLike } from './tenant-pair.js'
import { queryOf } from './url-cases.js'
import type { CheckRequest, Target } from './model.js'

/** Checks that a record is reached under its own parent only: by reads, changes, deletions and actions. */
export async function checkParents(run: Run): Promise<void> {
  // What is deleted can be reached no more.
  const isDeletion = ({ method }: Target): number => Number(method === 'DELETE')
  for (const target of run.left(run.targets.toSorted((one, other) => isDeletion(one) - isDeletion(other)))) {
    const [parent, own] = pathNamesOf(target.path).slice(-2)
    if (parent !== undefined && own !== undefined) await checkTarget(run, target, parent, own)
  }
  for (const target of run.left()) await checkMissing(run, target)
  for (const collection of run.left(collectionsOf(run))) await checkListed(collection)
}

/** Creates a record under one parent, and reads the list of another one. */
async function checkListed(collection: Collection): Promise<void> {
  const { run, list, caller, create } = collection
  const [parent] = pathNamesOf(collection.path).slice(-1)
  if (list === undefined || parent === undefined || !isAdmitted(list.access[caller])) return
  const values = await run.known.valuesFor(create, caller)
  const parents = await run.known.records(collectionOf(create, parent), caller, values)
  const other = otherParent(parents, parent, values)
  const created = other === undefined ? undefined : await createIn(collection)
  if (other === undefined || created?.request.path !== pathOf(create, values)) return
  const request = pageOf(list, { ...values, [parent]: other }, caller)
  for (const sent of [request, pageOf(list, values, caller)]) {
    if (!recordsIn(await run.send(sent)).some(({ id }) => id === created.id)) return
  }
  await run.record(list, { request, about: 'another parent' }, { kind: 'data',
    message: `The list has records that were created under another \`${parent}\`` })
}

/** Returns a GET of as many records as most lists allow. */
function pageOf(list: Target, values: PathValues, caller: string): CheckRequest {
  const query = queryOf(list).some(({ name }) => name === 'limit') ? [['limit', '100'] as const] : []
  return { ...readRequest(list, values, caller), query }
}

/** Creates a record under a parent that does not exist. */
async function checkMissing(run: Run, target: Target): Promise<void> {
  const [parent] = pathNamesOf(target.path).slice(-1)
  if (target.method !== 'POST' || parent === undefined || target.path.endsWith(`:${parent}`)) return
  const place = `${collectionOf(target, parent)}/:${parent}`
  const show = run.known.listAt(place)
  const caller = run.admitted(target, show)[0]
  if (caller === undefined) return
  const values = await run.known.valuesFor(target, caller)
  const missing = { ...values, [parent]: missingLike(values[parent] ?? '') }
  const request: CheckRequest = { ...await run.valid(target, caller), path: pathOf(target, missing) }
  const path = pathOf({ path: place }, missing)
  const isMissing = (await run.send(readRequest({ path }, {}, caller))).status === 404
  if (!isMissing || !isAccepted(await run.send(request))) return
  run.known.forget()
  await run.record(target, { request, about: 'a parent that does not exist' }, { kind: 'data',
    message: `The request is accepted, though ${path} does not exist` })
}

async function checkTarget(run: Run, target: Target, parent: string, own: string): Promise<void> {
  const list = run.known.listAt(collectionOf(target, own))
  const caller = run.admitted(target, list)[0]
  if (list === undefined || caller === undefined) return
  const values = await run.known.valuesFor(target, caller)
  const parents = await run.known.records(collectionOf(target, parent), caller, values)
  const other = otherParent(parents, parent, values)
  if (other === undefined) return
  const foreign = { ...values, [parent]: other }
  const idsAt = async (place: PathValues): Promise<string[] | undefined> => {
    const observed = await run.send(readRequest(list, place, caller))
    return observed.status === 200 ? recordsIn(observed).map((record) => wordOf(argumentFor(own, record))) : undefined
  }
  const [ids = [], otherIds] = [await idsAt(values), await idsAt(foreign)]
  const lacked = otherIds === undefined ? [] : ids.filter((id) => !otherIds.includes(id))
  // An action may be refused for one record, and not for another one.
  for (const id of run.left(new Set([...lacked.slice(0, 3), ...lacked.slice(-2)]))) {
    if (run.isKnown(target, 'data')) return
    await checkForeign(run, target, caller, { ...foreign, [own]: id })
  }
}

/** Returns the argument of another one of the parents. */
function otherParent(parents: readonly KnownRecord[], parent: string, values: PathValues): string | undefined {
  return parents.map((record) => wordOf(argumentFor(parent, record))).find((word) => word !== values[parent])
}

/** Sends a request for a record under a parent whose list lacks it; it must be refused like one for no record. */
async function checkForeign(run: Run, target: Target, caller: string, foreign: PathValues): Promise<void> {
  const own = pathNamesOf(target.path).at(-1) ?? ''
  const made = await run.valid(target, caller)
  const isRead = target.method === 'GET' || target.method === 'HEAD'
  const requestFor = (values: PathValues): CheckRequest => inAnyState({ ...made, path: pathOf(target, values) })
  const request = requestFor(foreign)
  const missing = await run.send(requestFor({ ...foreign, [own]: missingLike(foreign[own] ?? '') }))
  const reply = await run.send(request)
  if (!isRead) run.known.forget()
  if (!isAccepted(reply) || isAccepted(missing)) return
  const place = pathOf({ path: collectionOf(target, own) }, foreign)
  await run.record(target, { request, about: 'another parent' }, { kind: 'data',
    message: `The record is ${isRead ? 'shown' : 'changed'} at ${place}, whose list lacks it` })
}
