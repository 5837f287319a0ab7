import type { JsonSchema } from '../../openapi/types.js'
import { fieldsOf } from '../../openapi/fields.js'
import { sendChange } from './checking.js'
import { figuresOf, readRequest, recordsIn, type KnownRecord } from './collections.js'
import { absentLike } from './tenant-ids.js'
import type { Run } from './run.js'
import { bodyPlanOf } from './values.js'
import type { CheckRequest, Target } from './model.js'

/** Checks that a request for several records that is refused stores and changes none of them. */
export async function checkBulk(run: Run): Promise<void> {
  for (const target of run.left()) {
    if (bodyPlanOf(target, run.resolve)?.fields.has('ids') === true) await checkIds(run, target)
  }
  for (const target of run.left(run.targets.filter(({ method }) => method === 'POST'))) {
    const bulk = bulkOf(run, target)
    if (bulk !== undefined) await checkTarget(run, target, bulk)
  }
}

/** Names a record together with one that does not exist. */
async function checkIds(run: Run, target: Target): Promise<void> {
  const near = listNear(run, target)
  if (near === undefined) return
  const { list, caller } = near
  const records = await run.known.ownRecords(list.path, caller, await run.known.valuesFor(list, caller))
  const make = await run.known.maker(target, caller)
  for (const { id } of records.slice(-MOST_NAMED)) {
    if (id === undefined || run.isOver()) return
    const request = make({ ids: [id, absentLike(id)] })
    const status = await halfDone(run, near, request)
    if (status === undefined) continue
    return run.record(target, { request, about: 'an id of no record' }, { kind: 'change',
      message: `The reply is ${status}, but a part of the records is changed` })
  }
}

/** Returns the status of a request that is refused and changes the list nevertheless. */
async function halfDone(run: Run, near: Near, request: CheckRequest): Promise<number | undefined> {
  const before = await viewOf(run, near)
  const { status } = await sendChange(run, request)
  return status < 400 || before === undefined || await viewOf(run, near) === before ? undefined : status
}

/** Records that are named together with one that does not exist. */
const MOST_NAMED = 3

/** A list at the path of a route, and a caller who may use both. */
interface Near {
  readonly caller: string
  readonly list: Target
}

/** A route that creates several records, and the list that has them. */
interface Bulk extends Near {
  readonly item: JsonSchema
  /** The field of the body that has the items, `undefined` if the body is a list. */
  readonly field: string | undefined
}

function bulkOf(run: Run, target: Target): Bulk | undefined {
  const near = listNear(run, target)
  const schema = target.operation?.requestBody?.content['application/json']?.schema
  const items = schema === undefined ? undefined : itemsIn(run, schema)
  return near === undefined || items === undefined ? undefined : { ...near, ...items }
}

/** Returns the list at the path of a route or above it, and a caller who may use both. */
function listNear(run: Run, target: Target): Near | undefined {
  const { path } = target
  const list = run.known.listAt(path) ?? run.known.listAt(path.slice(0, path.lastIndexOf('/')))
  const caller = run.admitted(target, list)[0]
  return list === undefined || caller === undefined ? undefined : { list, caller }
}

/** Finds the list of objects in a body: the body itself, one of its forms, or its only field with such a list. */
function itemsIn(run: Run, schema: JsonSchema): Pick<Bulk, 'item' | 'field'> | undefined {
  const { anyOf = [] } = run.resolve(schema)
  const own = [schema, ...anyOf].map((one) => itemOf(run, one)).find((one) => one !== undefined)
  if (own !== undefined) return { item: own, field: undefined }
  const [[field, value] = [], ...others] = fieldsOf(schema, run.resolve)
  const item = value === undefined || others.length > 0 ? undefined : itemOf(run, value.schema)
  return item && { item, field }
}

function itemOf(run: Run, schema: JsonSchema): JsonSchema | undefined {
  const { type, items } = run.resolve(schema)
  if (type !== 'array' || typeof items !== 'object') return undefined
  return run.resolve(items).type === 'object' ? items : undefined
}

async function checkTarget(run: Run, target: Target, bulk: Bulk): Promise<void> {
  const made = await run.valid(target, bulk.caller)
  const requestFor = (items: readonly unknown[]): CheckRequest => ({ ...made, body: {
    json: bulk.field === undefined ? items : { [bulk.field]: items },
  } })
  const valid = [await newItem(run, target, bulk, 0), await newItem(run, target, bulk, 1)]
  const start = await viewOf(run, bulk)
  // A list with the time of the request tells nothing.
  if (await viewOf(run, bulk) !== start) return
  const { status } = await sendChange(run, requestFor(valid))
  if (status >= 300 || start === undefined || await viewOf(run, bulk) === start) return
  for (const broken of await brokenItems(run, target, bulk, valid)) {
    const request = requestFor([await newItem(run, target, bulk, 0), broken])
    const refusal = await halfDone(run, bulk, request)
    if (refusal === undefined) continue
    return run.record(target, { request, about: 'an item that is refused' }, { kind: 'change',
      message: `The reply is ${refusal}, but a part of the items is stored` })
  }
}

/** Returns a valid item; one that changes a record names the one at this place of the list. */
async function newItem(run: Run, target: Target, { caller, item, list }: Bulk, place: number): Promise<KnownRecord> {
  const fields = await run.known.bodyFor(target, caller, item)
  if (!Object.hasOwn(fields, 'id')) return fields
  const records = await run.known.records(list.path, caller, await run.known.valuesFor(list, caller))
  return { ...fields, id: records[place]?.id ?? fields.id }
}

/** Returns an item of a wrong type, one that is there already, and one that names no record. */
async function brokenItems(run: Run, target: Target, bulk: Bulk, [first]: readonly KnownRecord[]): Promise<unknown[]> {
  const item = await newItem(run, target, bulk, 1)
  const fields = [...fieldsOf(bulk.item, run.resolve)]
  const [required = ''] = fields.find(([, field]) => field.required) ?? []
  const reference = fields.map(([name]) => name).find((name) => /^id$|Id$|_id$/.test(name))
  const missing = reference === undefined ? [] : [{ ...item, [reference]: absentLike(item[reference]) }]
  return [{ ...item, [required]: { zq7x: [] } }, first, ...missing]
}

/** Returns all that the list tells of its records. */
async function viewOf(run: Run, { list, caller }: Near): Promise<string | undefined> {
  const observed = await run.send(readRequest(list, await run.known.valuesFor(list, caller), caller))
  return observed.status === 200 ? JSON.stringify([recordsIn(observed), figuresOf(observed).total]) : undefined
}
