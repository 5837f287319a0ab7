import { pathNamesOf } from '../../../core/index.js'
import { RowWatch } from './changes.js'
import { inAnyState, sendChange } from './checking.js'
import { isCompleted, argumentFor, collectionOf, isAdmitted, wordOf, propertiesOf,
  type KnownRecord } from './collections.js'
import { createdCollectionsOf, createIn, listAll, memberRequest, ownMember, readMember, recordOf, segmentsBelow,
  type Collection, type Created } from './members.js'
import { reporter, type Run } from './run.js'
import { encode } from './send.js'
import { missingLike } from './tenant-pair.js'
import { withArgument } from './url-cases.js'
import type { CheckRequest, Target } from './model.js'

/** Checks that a deletion deletes one record, and that no other exists. */
export async function checkDeletions(run: Run): Promise<void> {
  for (const collection of run.left(createdCollectionsOf(run))) {
    const remove = ownMember(collection, 'DELETE')
    if (remove !== undefined) await checkDeletion(collection, remove)
    const many = run.targets.find(({ method, path }) => method === 'DELETE' && path === collection.path)
    if (many !== undefined && isAdmitted(many.access[collection.caller])) {
      await checkDeleteMany(collection, many)
      await checkHalf(collection, many)
      await checkDeleteNone(collection, many)
    }
  }
}

async function checkDeletion(collection: Collection, remove: Target): Promise<void> {
  const { run, caller } = collection
  const created = await createIn(collection)
  if (created === undefined) return
  const before = recordOf(await readMember(collection, created.id))
  const listed = await listAll(collection)
  const parts = await partsOf(collection, created.id)
  const request = await memberRequest(run, remove, caller, created.id)
  const observed = await sendChange(run, request)
  if (!isCompleted(observed) || before === undefined) return
  const part = parts.length > 0 && await isMissing(collection, created) ? await keptPart(run, parts) : undefined
  if (part !== undefined) {
    await report(run, remove, request, `The record is deleted, but ${part.request.path} still has its content`)
  }
  const left = await listAll(collection)
  if (await isStillThere(collection, created, before, left)) {
    await report(run, remove, request, `The reply is ${observed.status}, but the record is still there`)
  }
  const other = missingId(listed, left, created.id)
  if (other !== undefined) await report(run, remove, request, `Another record was deleted too: ${wordOf(other)}`)
}

/** A part of a record that has a route of its own, with its reply. */
interface Part {
  readonly request: CheckRequest
  readonly text: string
}

/** Parts that are often kept after the record. */
const KEPT = /audit|histor|log|event|version|revision|activit|usage/i

/** Reads what routes such as `/files/:id/content` tell of a record. */
async function partsOf({ run, caller, path }: Collection, id: unknown): Promise<Part[]> {
  const parts: Part[] = []
  for (const target of run.targets) {
    if (target.method !== 'GET' || !isPart(target, path) || !isAdmitted(target.access[caller])) continue
    const made = await run.valid(target, caller)
    const [name = ''] = pathNamesOf(target.path)
    const request = { ...made, path: withArgument(target, made.path, name, encode(wordOf(id))) }
    const { status, text, json } = await run.send(request)
    const { data = text } = propertiesOf(json)
    if (status === 200 && !isEmpty(data)) parts.push({ request, text })
  }
  return parts
}

function isPart(target: Target, collection: string): boolean {
  const rest = segmentsBelow(target, collection)
  return rest.length > 0 && !rest.some((segment) => segment.startsWith(':') || KEPT.test(segment))
}

function isEmpty(data: unknown): boolean {
  return data === '' || data === null || (Array.isArray(data) && data.length === 0)
}

/** Returns the first part that can be read as before. */
async function keptPart(run: Run, parts: readonly Part[]): Promise<Part | undefined> {
  for (const part of parts) {
    const { status, text } = await run.send(part.request)
    if (status === 200 && text === part.text) return part
  }
  return undefined
}

async function isMissing(collection: Collection, { id }: Created): Promise<boolean> {
  return (await readMember(collection, id)).status === 404
}

type Records = readonly KnownRecord[] | undefined

/** Returns the id of a record that was listed before a deletion and is not after it, other than the deleted one. */
function missingId(listed: Records, left: Records, deleted: unknown): unknown {
  if (listed === undefined || left === undefined) return undefined
  const ids = new Set(left.map(({ id }) => id))
  return listed.find(({ id }) => id !== deleted && !ids.has(id))?.id
}

/** A record that is kept, but marked as deleted, differs from what it was. */
async function isStillThere(collection: Collection, { id }: Created, before: KnownRecord,
  left: Records): Promise<boolean>
{
  const after = recordOf(await readMember(collection, id))
  if (after !== undefined) return stateOf(after) === stateOf(before)
  return left?.some((record) => record.id === id && record.deletedAt === undefined && record.status === undefined)
    === true
}

function stateOf(record: KnownRecord): string {
  return JSON.stringify(Object.entries(record).filter(([name]) => !/updated|version|etag/i.test(name)))
}

async function requestFor({ run, caller }: Collection, many: Target,
  ...ids: readonly unknown[]): Promise<CheckRequest>
{
  const made = await run.valid(many, caller)
  return { ...made, body: undefined, query: ids.length === 0 ? [] : [['ids', ids.map(wordOf).join()]] }
}

async function checkDeleteMany(collection: Collection, many: Target): Promise<void> {
  const { run } = collection
  const [one, other] = [await createIn(collection), await createIn(collection)]
  if (one === undefined || other === undefined) return
  const request = inAnyState(await requestFor(collection, many, one.id, other.id))
  const observed = await sendChange(run, request)
  if (!isCompleted(observed)) return
  for (const { id, record } of [one, other]) {
    const after = recordOf(await readMember(collection, id))
    if (after === undefined || stateOf(after) !== stateOf(record)) continue
    return report(run, many, request, `The reply is ${observed.status}, but the record ${wordOf(id)} is still there`)
  }
}

/** Deletes a record together with one that does not exist: a refusal deletes none of them. */
async function checkHalf(collection: Collection, many: Target): Promise<void> {
  const { run } = collection
  const created = await createIn(collection)
  if (created === undefined || (await readMember(collection, created.id)).status !== 200) return
  const request = await requestFor(collection, many, created.id, missingLike(wordOf(created.id)))
  const { status } = await sendChange(run, inAnyState(request))
  if (status < 400 || !await isMissing(collection, created)) return
  await run.record(many, { request, about: 'an id of no record' }, { kind: 'change',
    message: `The reply is ${status}, but a part of the records is deleted` })
}

/** Deletes without ids: a deletion of many that takes none for all would empty the collection. */
async function checkDeleteNone(collection: Collection, many: Target): Promise<void> {
  const { run } = collection
  const isByIds = many.entry?.action === 'deleteMany' || many.operation?.parameters?.some(({ name }) => name === 'ids')
  const created = isByIds === true ? await createIn(collection) : undefined
  if (created === undefined || (await readMember(collection, created.id)).status !== 200) return
  const request = inAnyState(await requestFor(collection, many))
  const { status } = await sendChange(run, request)
  if (!await isMissing(collection, created)) return
  await report(run, many, request, `The reply is ${status} without ids, and records are deleted`)
}

/** Records of a list that are deleted. */
const MOST_DELETED = 8

/**
 * Deletes records that were there before, as every caller: others may refer to them, and they may belong to others. It
 * is one of the last checks, and leaves half of each list to those after it.
 */
export async function checkStoredDeletions(run: Run): Promise<void> {
  const rows = new RowWatch(run)
  for (const target of run.targets) {
    const name = /\/:([^/]+)$/.exec(target.path)?.[1]
    if (target.method !== 'DELETE' || name === undefined || collectionOf(target, name).includes(':')) continue
    for (const [id, caller] of run.left(await storedIds(run, target, name))) {
      const made = await run.valid(target, caller)
      const path = withArgument(target, made.path, name, encode(wordOf(id)))
      const probe = { request: inAnyState({ ...made, path }), about: 'a stored record' }
      await rows.during(target, probe, () => run.probe(target, probe))
    }
    run.known.forget()
  }
}

/** Returns ids that callers can list, each as every caller who may delete; first those whose list lacks it. */
async function storedIds(run: Run, target: Target, name: string): Promise<(readonly [id: unknown, caller: string])[]> {
  const listed = new Map<string, readonly unknown[]>()
  for (const caller of run.sender.callers.keys()) {
    const records = await run.known.ownRecords(collectionOf(target, name), caller)
    listed.set(caller, records.map((record) => argumentFor(name, record)).filter((id) => id !== undefined))
  }
  const first = [...listed.values()].flatMap((ids) => ids.slice(0, Math.min(MOST_DELETED, Math.ceil(ids.length / 2))))
  const callers = run.admitted(target)
  const hasListed = (caller: string, id: unknown): number => Number(listed.get(caller)?.includes(id))
  return [...new Set(first)].flatMap((id) =>
    callers.toSorted((one, other) => hasListed(one, id) - hasListed(other, id)).map((caller) => [id, caller] as const)
  )
}

const report = reporter('data', 'what is read after it')
