import type { Values } from '../request.js'
import type { Resource } from '../providers/resources.js'
import type { Filter, Sorter } from './types.js'

/** The query names of refine's operators: of a field, and of what follows its name. */
const NAMES: Readonly<Record<string, string>> = {
  eq: '',
  in: '',
  contains: '',
  ne: '_ne',
  gte: '_gte',
  lte: '_lte',
  null: '_isNull',
  nnull: '_isNull',
}

export interface Query {
  readonly search: string | undefined
  readonly filters: Values
}

/**
 * Converts refine's filters to those of the API; `q` and `search` become its search.
 *
 * @throws TypeError for an operator that the API does not have, and for two values of one filter, of which a query has
 * one.
 */
export function toQuery(filters: readonly Filter[] = []): Query {
  const all = new Map<string, unknown>()
  for (const [name, value] of filters.flatMap(termsOf)) {
    const own = name === 'q' ? 'search' : name
    if (isEmpty(value) && all.has(own)) continue
    const before = all.get(own)
    if (!isEmpty(before) && JSON.stringify(before) !== JSON.stringify(value)) {
      throw new TypeError(`There are two filters \`${own}\`, and a list has one value of each.`)
    }
    all.set(own, value)
  }
  const { search, ...others } = Object.fromEntries(all)
  return { search: isEmpty(search) ? undefined : String(search), filters: others }
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === ''
}

/** Returns the fields that a select or a table searches for a part of a string. */
export function searchedFields(filters: readonly Filter[] = []): string[] {
  return filters.flatMap(({ field = '', operator, value }) =>
    operator === 'and' ? searchedFields(groupOf(value)) : operator === 'contains' && value ? [field] : []
  )
}

/** Makes the search of a field that has no filter the search of the list, unless the list is searched already. */
export function searchFor(field: string, { search, filters }: Query): Query {
  const { [field]: value, ...others } = filters
  return search === undefined && typeof value === 'string' ? { search: value, filters: others } : { search, filters }
}

function termsOf({ field = '', operator, value }: Filter): (readonly [name: string, value: unknown])[] {
  if (operator === 'and') return groupOf(value).flatMap(termsOf)
  if (operator === 'between') {
    const range: readonly unknown[] = Array.isArray(value) ? value : []
    return [[`${field}_gte`, range[0]], [`${field}_lte`, range[1]]]
  }
  const suffix = Object.hasOwn(NAMES, operator) ? NAMES[operator] : undefined
  if (suffix === undefined) {
    throw new TypeError(
      `The operator \`${operator}\` of the filter \`${field}\` is not supported. Use `
        + `${Object.keys(NAMES).join(', ')}, between, and.`,
    )
  }
  return [[field + suffix, suffix === '_isNull' ? operator === 'null' : value]]
}

function groupOf(value: unknown): readonly Filter[] {
  return value as readonly Filter[]
}

/** Converts refine's sorters to `-createdAt,title`. */
export function toSort({ key }: Pick<Resource, 'key'>, sorters: readonly Sorter[] = []): string {
  return sorters.map(({ field, order }) => `${order === 'desc' ? '-' : ''}${field === 'id' ? key : field}`).join(',')
}
