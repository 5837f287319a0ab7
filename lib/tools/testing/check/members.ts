import { pathNamesOf } from '../../../core/index.js'
import { inAnyState } from './checking.js'
import { figuresOf, isAdmitted, pathOf, readRequest, recordsIn, wordOf, type KnownRecord } from './collections.js'
import type { Run } from './run.js'
import { bodyPlanOf } from './values.js'
import type { CheckRequest, Observed, Target } from './model.js'

/** A collection whose records can be created and read, as one caller. */
export interface Collection {
  readonly run: Run
  readonly path: string
  readonly caller: string
  readonly create: Target
  /** The route that shows a record alone; where there is none, records are read from the list. */
  readonly show: Target | undefined
  readonly list: Target | undefined
}

/** A collection as one caller lists it. */
type Listed = Pick<Collection, 'run' | 'path' | 'caller' | 'list'>

/** Returns the collections in which some caller can create a record by JSON and read it. */
export function collectionsOf(run: Run): Collection[] {
  return createdCollectionsOf(run).filter(({ create }) => bodyPlanOf(create, run.resolve)?.isForm !== true)
}

/** Returns the collections in which some caller can create a record, such as a file by a form, and read it. */
export function createdCollectionsOf(run: Run): Collection[] {
  return run.targets.filter(({ method }) => method === 'POST').flatMap((create) => {
    const { path } = create
    const show = memberOf(run, path, 'GET')
    const list = run.known.listAt(path)
    const caller = run.admitted(create, show ?? list)[0]
    return caller === undefined ? [] : [{ run, path, caller, create, show, list }]
  })
}

/** Returns the route of a method for one record of a collection. */
export function memberOf(run: Run, collection: string, method: string): Target | undefined {
  return run.targets.find((target) => target.method === method && isMember(target, collection))
}

/** Returns the route of a method for one record of a collection, if the caller may use it. */
export function ownMember({ run, path, caller }: Collection, method: string): Target | undefined {
  const target = memberOf(run, path, method)
  return isAdmitted(target?.access[caller]) ? target : undefined
}

export function isMember({ path }: Pick<Target, 'path'>, collection: string): boolean {
  const rest = path.slice(collection.length + 1)
  return path.startsWith(`${collection}/:`) && !rest.includes('/')
}

/** Returns the segments after the argument of `/posts/:id/comments`, none for a path that names no record. */
export function segmentsBelow({ path }: Pick<Target, 'path'>, collection: string): readonly string[] {
  return path.startsWith(`${collection}/:`) ? path.slice(collection.length + 1).split('/').slice(1) : []
}

export interface Created {
  readonly request: CheckRequest
  readonly observed: Observed
  readonly record: KnownRecord
  readonly id: unknown
}

/** Creates a record, with these fields among others; `undefined` if the request is refused or the reply has no id. */
export async function createIn({ run, create, caller }: Collection,
  fields: KnownRecord = {}): Promise<Created | undefined>
{
  const request = await run.valid(create, caller, fields)
  const observed = await run.probe(create, { request, about: 'a valid request' })
  run.known.forget()
  const [record] = recordsIn(observed)
  return record?.id === undefined || observed.status === 202 ? undefined : { request, observed, record, id: record.id }
}

/** Returns a request to a route for one record, or for a part of it. */
export async function memberRequest(run: Run, target: Target, caller: string, id: unknown): Promise<CheckRequest> {
  const make = await run.known.maker(target, caller)
  const values = await run.known.valuesFor(target, caller)
  const name = pathNamesOf(target.path).at(-1) ?? ''
  return inAnyState({ ...make(), path: pathOf(target, { ...values, [name]: wordOf(id) }) })
}

/** Reads a record, in the list where no route shows it alone: the status is then 404 if the list lacks it. */
export async function readMember(collection: Collection, id: unknown): Promise<Observed> {
  const { run, show, caller } = collection
  return show === undefined ? readInList(collection, id) : run.send(await memberRequest(run, show, caller, id))
}

async function readInList(collection: Collection, id: unknown): Promise<Observed> {
  const { observed, records } = await readList(collection)
  const data = records.find((record) => record.id === id)
  return { ...observed, headers: {}, status: data === undefined ? 404 : observed.status, json: { data } }
}

/** Returns the record of a reply with one record, `undefined` for any other reply. */
export function recordOf(observed: Observed): KnownRecord | undefined {
  const records = recordsIn(observed)
  return records.length === 1 ? records[0] : undefined
}

/** Lists the records of a collection, `undefined` if they are not all on one page. */
export async function listAll(collection: Listed): Promise<readonly KnownRecord[] | undefined> {
  const { list, caller } = collection
  if (list === undefined || !isAdmitted(list.access[caller])) return undefined
  const { records, isWhole } = await readList(collection)
  return isWhole ? records : undefined
}

interface ListReply {
  readonly observed: Observed
  readonly records: readonly KnownRecord[]
  /** True if the reply says, or does not deny, that these are all records. */
  readonly isWhole: boolean
}

async function readList({ run, path, caller, list }: Listed): Promise<ListReply> {
  const values = list === undefined ? {} : await run.known.valuesFor(list, caller)
  const observed = await run.send(readRequest({ path }, values, caller))
  const records = recordsIn(observed)
  const { total = records.length, next = null } = figuresOf(observed)
  const isWhole = observed.status === 200 && total === records.length && next === null
  return { observed, records, isWhole }
}
