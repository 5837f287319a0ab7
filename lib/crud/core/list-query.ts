import { isList, messageOf, ValidationError } from '../../core/index.js'
import { SharedValue } from './call.js'
import type { Call } from './feature.js'
import type { FieldFilter } from './filters.js'
import { fieldOf, filterName, wireName } from './list-parameters.js'
import type { Conditions, Row } from './any-resource.js'
import { conditionsFrom } from './scope.js'

export interface ListedQuery {
  readonly where: Conditions
  readonly order: readonly string[]
  /** The keys of the rows, in this order; there are at most 100. */
  readonly keys: readonly unknown[] | undefined
  /** The fields that this caller may not read. */
  readonly denied: ReadonlySet<string>
  /** The values that every row has by the option `scope`. */
  readonly tenancy: readonly unknown[]
}

/** The query of a list, by the arguments that it was made of. */
const QUERY = new SharedValue<{ readonly listArgs: Row; readonly query: Promise<ListedQuery> }>()

/**
 * Returns the conditions and the order of the rows that a caller asks for. The result is kept, so that scope and
 * filters are evaluated once although features read the query too.
 */
export function listQuery(call: Call, listArgs: Row): Promise<ListedQuery> {
  const kept = QUERY.get(call)
  if (kept?.listArgs === listArgs) return kept.query
  const query = readQuery(call, listArgs)
  QUERY.set(call, { listArgs, query })
  return query
}

async function readQuery(call: Call, listArgs: Row): Promise<ListedQuery> {
  const { store, plan: { scopes } } = call
  const denied = await call.denied('read')
  const filters = await whereOf(call, listArgs, denied)
  const scope = await scopes.ofList(call, listArgs)
  const where = [...filters, ...scope.where]
  const order = orderOf(call, listArgs.sort, denied)
  const query = { where, order, denied, tenancy: scope.tenancy }
  const keys = isList(listArgs.ids) ? listArgs.ids : undefined
  // Without an order of the caller's, named rows come as they were named.
  if (keys === undefined || listArgs.sort === undefined) return { ...query, keys }
  return { ...query, where: [...where, [store.key, 'in', keys]], keys: undefined }
}

/**
 * Returns the conditions that a query asks for.
 *
 * @throws ValidationError for a filter by a field that this caller may not read.
 */
async function whereOf({ req, plan }: Call, listArgs: Row, denied: ReadonlySet<string>): Promise<Conditions> {
  const { filters = {}, customFilters = {}, search = [] } = plan.options
  const byField = Object.entries(filters).flatMap(([field, filter]) => {
    const conditions = filterWhere(field, filter ?? {}, listArgs)
    if (conditions.length > 0 && denied.has(field)) {
      throw new ValidationError({ [field]: [messageOf('field.parameter_unknown')] })
    }
    return conditions
  })
  const custom = await Promise.all(
    Object.entries(customFilters).map(async ([name, { where }]) => {
      const value = listArgs[filterName(name)]
      if (value === undefined) return []
      return conditionsFrom(`\`customFilters.${name}\` of crud`, await where(value as never, req))
    }),
  )
  const columns = search.filter((field) => !denied.has(field))
  const { search: text = '' } = listArgs
  if (typeof text !== 'string' || text === '') return [...byField, ...custom.flat()]
  return [...byField, ...custom.flat(), { any: columns.map((field) => [[field, 'contains', text]] as const) }]
}

function filterWhere(field: string, { eq, oneOf, contains }: FieldFilter<unknown>, listArgs: Row): Conditions {
  const operator = eq !== undefined ? '=' : oneOf !== undefined ? 'in' : contains ? 'contains' : undefined
  const where: [field: string, operator: string | undefined, value: unknown][] = [
    [field, operator, listArgs[filterName(field)]],
    [field, '>=', listArgs[filterName(`${field}_gte`)]],
    [field, '<=', listArgs[filterName(`${field}_lte`)]],
    [field, '!=', listArgs[filterName(`${field}_ne`)]],
  ]
  const isNull = listArgs[filterName(`${field}_isNull`)]
  const nulls = isNull === undefined ? [] : [[field, isNull === true ? '=' : '!=', null] as const]
  return [...where.filter(([, , value]) => value !== undefined), ...nulls] as Conditions
}

/**
 * Returns the whole order: that of the query or the default one, and the key last, in the direction of the field before
 * it.
 *
 * Fields of the default order that this caller may not read are left out: the order of rows would reveal them.
 *
 * @throws ValidationError where the caller sorts by a field that it may not read.
 */
function orderOf({ plan, store: { key } }: Call, sort: unknown, denied: ReadonlySet<string>): string[] {
  const { order = [], paramNames = {} } = plan.options
  const spellings = typeof sort === 'string' ? sort.split(',') : undefined
  if (spellings?.some((spelling) => denied.has(fieldOf(spelling)))) {
    throw new ValidationError({ [wireName('sort', paramNames)]: [messageOf('field.sort')] })
  }
  const keys = spellings ?? order.filter((spelling) => fieldOf(spelling) === key || !denied.has(fieldOf(spelling)))
  const end = keys.findIndex((spelling) => fieldOf(spelling) === key)
  if (end !== -1) return keys.slice(0, end + 1) // after a unique key nothing decides any more
  return [...keys, keys.at(-1)?.startsWith('-') ? `-${key}` : key]
}
