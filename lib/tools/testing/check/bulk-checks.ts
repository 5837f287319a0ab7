import type { JsonSchema } from '../../openapi/types.js'
import { fieldsOf } from '../../openapi/fields.js'
import { isAdmitted, readRequest, recordsIn, type KnownRecord } from './known.js'
import type { Run } from './run.js'
import type { CheckRequest, Target } from './model.js'

/** Checks that a request for several records that is refused creates none of them. */
export async function checkBulk(run: Run): Promise<void> {
  for (const target of run.targets.filter(({ method }) => method === 'POST')) {
    if (run.isOver()) return
    const bulk = bulkOf(run, target)
    if (bulk !== undefined) await checkTarget(run, target, bulk)
  }
}

/** A route that creates several records, and the list that has them. */
interface Bulk {
  readonly caller: string
  readonly list: Target
  readonly item: JsonSchema
  /** The field of the body that has the items, `undefined` if the body is a list. */
  readonly field: string | undefined
}

function bulkOf(run: Run, target: Target): Bulk | undefined {
  const { path, operation } = target
  const list = run.known.listAt(path) ?? run.known.listAt(path.slice(0, path.lastIndexOf('/')))
  const caller = [...run.sender.callers.keys()].find((name) =>
    isAdmitted(target.access[name]) && isAdmitted(list?.access[name])
  )
  const schema = operation?.requestBody?.content['application/json']?.schema
  const items = schema === undefined ? undefined : itemsIn(run, schema)
  return list === undefined || caller === undefined || items === undefined ? undefined : { caller, list, ...items }
}

/** Finds the list of objects in a body: the body itself, one of its forms, or its only field with such a list. */
function itemsIn(run: Run, schema: JsonSchema): Pick<Bulk, 'item' | 'field'> | undefined {
  const { anyOf = [] } = run.resolve(schema) as { readonly anyOf?: readonly JsonSchema[] }
  const own = [schema, ...anyOf].map((one) => itemOf(run, one)).find((one) => one !== undefined)
  if (own !== undefined) return { item: own, field: undefined }
  const lists = [...fieldsOf(schema, run.resolve)].flatMap(([field, value]) => {
    const item = itemOf(run, value.schema)
    return item === undefined ? [] : [{ item, field }]
  })
  const [first] = lists
  const isOnly = lists.length === 1 && fieldsOf(schema, run.resolve).size === 1
  return isOnly ? first : undefined
}

function itemOf(run: Run, schema: JsonSchema): JsonSchema | undefined {
  const { type, items } = run.resolve(schema)
  if (type !== 'array' || typeof items !== 'object') return undefined
  return run.resolve(items as JsonSchema).type === 'object' ? items as JsonSchema : undefined
}

async function checkTarget(run: Run, target: Target, bulk: Bulk): Promise<void> {
  const made = (await run.known.maker(target, bulk.caller))()
  const requestFor = (items: readonly unknown[]): CheckRequest => ({ ...made, body: {
    json: bulk.field === undefined ? items : { [bulk.field]: items },
  } })
  const newItem = (): Promise<KnownRecord> => run.known.bodyFor(target, bulk.caller, bulk.item)
  const valid = [await newItem(), await newItem()]
  const start = await countOf(run, bulk)
  const isAccepted = await statusOf(run, requestFor(valid)) < 300
  if (!isAccepted || start === undefined || await countOf(run, bulk) !== start + valid.length) return
  // A value of no type, and a record that is there already.
  const [required = ''] = [...fieldsOf(bulk.item, run.resolve)].find(([, field]) => field.required) ?? []
  for (const broken of [{ ...await newItem(), [required]: { zq7x: [] } }, valid[0]]) {
    const request = requestFor([await newItem(), broken])
    const before = await countOf(run, bulk)
    const status = await statusOf(run, request)
    if (status < 400 || before === undefined || await countOf(run, bulk) === before) continue
    await run.record(target, { request, about: 'an item that is refused' }, { kind: 'change',
      message: `The reply is ${status}, but a part of the records is created` })
    return
  }
}

async function statusOf(run: Run, request: CheckRequest): Promise<number> {
  const { status } = await run.send(request)
  run.known.forget()
  return status
}

/** Returns the number of records that a list has or tells of. */
async function countOf(run: Run, { list, caller }: Bulk): Promise<number | undefined> {
  const observed = await run.send(readRequest(list, await run.known.valuesFor(list, caller), caller))
  const { meta } = Object(observed.json) as { readonly meta?: { readonly total?: unknown } }
  if (observed.status !== 200) return undefined
  return typeof meta?.total === 'number' ? meta.total : recordsIn(observed).length
}
