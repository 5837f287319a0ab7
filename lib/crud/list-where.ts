import type { Request } from 'express'
import { ValidationError } from '../errors.js'
import { wireName } from './list-input.js'
import type { FieldFilter, LooseOptions, LooseRow, LooseWhere } from './options.js'

/**
 * Returns the conditions that a query asks for.
 *
 * @throws ValidationError for a filter by a field that this caller may not read.
 */
export async function whereOf(options: LooseOptions, asked: LooseRow, req: Request, denied: ReadonlySet<string>): Promise<LooseWhere> {
  const { filters = {}, customFilters = {}, paramNames = {}, search = [] } = options
  const byField = Object.entries(filters).flatMap(([field, filter]) => {
    const found = filterWhere(field, filter ?? {}, asked)
    if (found.length > 0 && denied.has(field)) throw new ValidationError({ [wireName(field, paramNames)]: ['Unknown parameter'] })
    return found
  })
  const custom = await Promise.all(Object.entries(customFilters).map(async ([name, { where }]) => (asked[name] === undefined ? [] : where(asked[name] as never, req))))
  const searched = search.filter((field) => !denied.has(field))
  const text = asked.search ?? ''
  const found = text === '' ? [] : [{ any: searched.map((field) => [[field, 'contains', text]]) }]
  return [...byField, ...custom.flat(), ...found as unknown as LooseWhere]
}

function filterWhere(field: string, { eq, oneOf, contains }: FieldFilter<unknown>, asked: LooseRow): LooseWhere {
  const operator = eq !== undefined ? '=' : oneOf !== undefined ? 'in' : contains && 'contains'
  const where = [[field, operator, asked[field]], [field, '>=', asked[`${field}_gte`]], [field, '<=', asked[`${field}_lte`]], [field, '!=', asked[`${field}_ne`]]]
  const isNull = asked[`${field}_isNull`]
  const nulls = isNull === undefined ? [] : [[field, isNull === true ? '=' : '!=', null]]
  return [...where.filter(([, , value]) => value !== undefined), ...nulls] as unknown as LooseWhere
}

/**
 * Returns the whole order: the one that is asked for or the default one, and the key last, in the direction of the field before it.
 *
 * Fields of the default order that this caller may not read are left out: the order of rows tells of them.
 *
 * @throws ValidationError where the caller sorts by a field that it may not read.
 */
export function orderOf({ order = [], paramNames = {} }: LooseOptions, sort: unknown, key: string, denied: ReadonlySet<string>): string[] {
  const asked = typeof sort === 'string' ? sort.split(',') : undefined
  if (asked?.some((spelling) => denied.has(fieldOf(spelling)))) {
    throw new ValidationError({ [wireName('sort', paramNames)]: ['Cannot sort by this field'] })
  }
  const keys = asked ?? order.filter((spelling) => fieldOf(spelling) === key || !denied.has(fieldOf(spelling)))
  const end = keys.findIndex((spelling) => fieldOf(spelling) === key)
  if (end !== -1) return keys.slice(0, end + 1) // behind a unique key nothing decides any more
  return [...keys, keys.at(-1)?.startsWith('-') ? `-${key}` : key]
}

/** Returns the field of an order's spelling: `-createdAt` is the field `createdAt`. */
export function fieldOf(spelling: string): string {
  return spelling.replace(/^-/, '')
}
