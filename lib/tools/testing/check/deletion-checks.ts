import { RowWatch } from './changes.js'
import { argumentFor, collectionOf, isAdmitted, wordOf, type KnownRecord } from './known.js'
import { collectionsOf, createIn, listAll, memberOf, memberRequest, readMember, recordOf, type Collection,
  type Created } from './members.js'
import type { Run } from './run.js'
import { encode } from './send.js'
import { missingLike } from './tenant-pair.js'
import { withArgument } from './url-cases.js'
import type { CheckRequest, Target } from './model.js'

/** Checks that a deletion deletes one record, that no other exists, and that a repeated key creates nothing. */
export async function checkDeletions(run: Run): Promise<void> {
  for (const collection of collectionsOf(run)) {
    if (run.isOver()) return
    const remove = memberOf(run, collection.path, 'DELETE')
    if (remove !== undefined && isAdmitted(remove.access[collection.caller])) await checkDeletion(collection, remove)
    const many = run.targets.find(({ method, path }) => method === 'DELETE' && path === collection.path)
    if (many !== undefined && isAdmitted(many.access[collection.caller])) {
      await checkDeleteMany(collection, many)
      await checkHalf(collection, many)
      await checkDeleteNone(collection, many)
    }
    await checkMissing(collection)
    await checkSpelledIds(collection)
    await checkRepeatedKey(collection)
  }
}

const isAccepted = (status: number): boolean => status >= 200 && status < 300 && status !== 202

async function checkDeletion(collection: Collection, remove: Target): Promise<void> {
  const { run, caller } = collection
  const created = await createIn(collection)
  if (created === undefined) return
  const before = recordOf(await readMember(collection, created.id))
  const listed = await listAll(collection)
  const request = await memberRequest(run, remove, caller, created.id)
  const { status } = await run.send(request)
  run.known.forget()
  if (!isAccepted(status) || before === undefined) return
  const left = await listAll(collection)
  if (await isStillThere(collection, created, before, left)) {
    await report(run, remove, request, `The reply is ${status}, but the record is still there`)
  }
  const other = missingId(listed, left, created.id)
  if (other !== undefined) await report(run, remove, request, `Another record was deleted too: ${wordOf(other)}`)
}

type Records = readonly KnownRecord[] | undefined

/** Returns the id of a record that was listed before a deletion and is not after it, other than the deleted one. */
function missingId(listed: Records, left: Records, deleted: unknown): unknown {
  if (listed === undefined || left === undefined) return undefined
  const ids = new Set(left.map(({ id }) => id))
  return listed.find(({ id }) => id !== deleted && !ids.has(id))?.id
}

/** A record that is kept, but marked as deleted, differs from what it was. */
async function isStillThere(
  collection: Collection,
  { id }: Created,
  before: KnownRecord,
  left: Records,
): Promise<boolean> {
  const after = recordOf(await readMember(collection, id))
  if (after !== undefined) return stateOf(after) === stateOf(before)
  return left?.some((record) => record.id === id && record.deletedAt === undefined && record.status === undefined)
    === true
}

function stateOf(record: KnownRecord): string {
  return JSON.stringify(Object.entries(record).filter(([name]) => !/updated|version|etag/i.test(name)))
}

async function checkDeleteMany(collection: Collection, many: Target): Promise<void> {
  const { run, caller } = collection
  const [one, other] = [await createIn(collection), await createIn(collection)]
  if (one === undefined || other === undefined) return
  const request = (await run.known.maker(many, caller))()
  const query = [['ids', `${wordOf(one.id)},${wordOf(other.id)}`]] as const
  const conditional: CheckRequest = { ...request, body: undefined, query,
    headers: { ...request.headers, 'if-match': '*' } }
  const { status } = await run.send(conditional)
  run.known.forget()
  if (!isAccepted(status)) return
  for (const { id, record } of [one, other]) {
    const after = recordOf(await readMember(collection, id))
    if (after === undefined || stateOf(after) !== stateOf(record)) continue
    await report(run, many, conditional, `The reply is ${status}, but the record ${wordOf(id)} is still there`)
    return
  }
}

/** Deletes a record together with one that does not exist: a refusal deletes none of them. */
async function checkHalf(collection: Collection, many: Target): Promise<void> {
  const { run, caller } = collection
  const created = await createIn(collection)
  if (created === undefined || (await readMember(collection, created.id)).status !== 200) return
  const word = wordOf(created.id)
  const request: CheckRequest = { ...(await run.known.maker(many, caller))(), body: undefined,
    query: [['ids', `${word},${missingLike(word)}`]] }
  const { status } = await run.send({ ...request, headers: { ...request.headers, 'if-match': '*' } })
  run.known.forget()
  if (status < 400 || (await readMember(collection, created.id)).status !== 404) return
  await run.record(many, { request, about: 'an id of no record' }, { kind: 'change',
    message: `The reply is ${status}, but a part of the records is deleted` })
}

/** Deletes without ids: a deletion of many that takes none for all would empty the collection. */
async function checkDeleteNone(collection: Collection, many: Target): Promise<void> {
  const { run, caller } = collection
  const isByIds = many.entry?.action === 'deleteMany' || many.operation?.parameters?.some(({ name }) => name === 'ids')
  const created = isByIds === true ? await createIn(collection) : undefined
  if (created === undefined || (await readMember(collection, created.id)).status !== 200) return
  const made = (await run.known.maker(many, caller))()
  const request: CheckRequest = { ...made, body: undefined, query: [], headers: { ...made.headers, 'if-match': '*' } }
  const { status } = await run.send(request)
  run.known.forget()
  if ((await readMember(collection, created.id)).status !== 404) return
  await report(run, many, request, `The reply is ${status} without ids, and records are deleted`)
}

/** Names a record that does not exist: it can neither be read nor changed. */
async function checkMissing(collection: Collection): Promise<void> {
  const { run, caller, show, path } = collection
  const id = await lastId(collection)
  if (id === undefined) return
  const remove = memberOf(run, path, 'DELETE')
  // A deletion may be meant to succeed for what is deleted already; one whose document has a 404 is not.
  const refusing = remove?.operation?.responses['404'] === undefined ? undefined : remove
  for (const target of [show, memberOf(run, path, 'PATCH'), refusing]) {
    if (target === undefined || !isAdmitted(target.access[caller])) continue
    const request = await memberRequest(run, target, caller, missingLike(wordOf(id)))
    const { status } = await run.send(request)
    if (isAccepted(status))
      await report(run, target, request, `A record that does not exist is answered with ${status}`)
  }
}

async function lastId(collection: Collection): Promise<unknown> {
  return (await createIn(collection))?.id ?? (await listAll(collection))?.at(-1)?.id
}

/** Spellings of a whole number that is none; the first is none anywhere. */
const SPELLINGS: readonly ((id: number) => string)[] = [(id) => `${id}zq`, (id) => `${id}e0`, (id) => ` ${id}`,
  (id) => `${id}.0`, (id) => `+${id}`, (id) => `0x${id.toString(16)}`]

/** Reads a record by other spellings of its id; those of numbers where the document says that it is one. */
async function checkSpelledIds(collection: Collection): Promise<void> {
  const { run, caller, show } = collection
  const id = (await listAll(collection))?.at(-1)?.id
  if (show === undefined || typeof id !== 'number') return
  for (const spelled of hasWholeId(show, run) ? SPELLINGS : SPELLINGS.slice(0, 1)) {
    const request = await memberRequest(run, show, caller, spelled(id))
    if ((await run.send(request)).status !== 200) continue
    await report(run, show, request, `\`${spelled(id)}\` is taken for the id ${id}`)
    return
  }
}

function hasWholeId(show: Target, run: Run): boolean {
  const parameters = show.operation?.parameters ?? []
  return parameters.some(({ in: place, name, schema }) =>
    place === 'path' && show.path.endsWith(`:${name}`) && run.resolve(schema).type === 'integer'
  )
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
    const ids = await storedIds(run, target, name)
    for (const [id, caller] of ids) {
      if (run.isOver()) return
      const made = (await run.known.maker(target, caller))()
      const path = withArgument(target, made.path, name, encode(wordOf(id)))
      const probe = { request: { ...made, path, headers: { ...made.headers, 'if-match': '*' } },
        about: 'a stored record' }
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
  const callers = [...listed.keys()].filter((caller) => isAdmitted(target.access[caller]))
  const hasListed = (caller: string, id: unknown): number => Number(listed.get(caller)?.includes(id))
  return [...new Set(first)].flatMap((id) =>
    callers.toSorted((one, other) => hasListed(one, id) - hasListed(other, id)).map((caller) => [id, caller] as const)
  )
}

/** Sends a creation twice with one `Idempotency-Key`, where the document has that header. */
async function checkRepeatedKey(collection: Collection): Promise<void> {
  const { run, caller, create } = collection
  const header = create.operation?.parameters?.find((one) => one.in === 'header' && /^idempotency-key$/i.test(one.name))
  if (header === undefined) return
  const made = (await run.known.maker(create, caller))()
  const request = { ...made,
    headers: { ...made.headers, [header.name]: `check-${run.known.next()}-${'k'.repeat(24)}` } }
  const [one, again] = [recordOf(await run.send(request)), recordOf(await run.send(request))]
  run.known.forget()
  if (one?.id === undefined || again?.id === undefined || one.id === again.id) return
  await report(run, create, request, 'Two requests with one `Idempotency-Key` create two records')
}

async function report(run: Run, target: Target, request: CheckRequest, message: string): Promise<void> {
  await run.record(target, { request, about: 'what is read after it' }, { kind: 'data', message })
}
