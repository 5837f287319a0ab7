import type { Request } from 'express'
import { ValidationError } from '../errors.js'
import { wireName } from './list-input.js'
import type { FieldFilter, LooseOptions, LooseRow, LooseWhere } from './options.js'

/** The conditions that a query asks for; by what this caller may not read nobody can ask. */
export function whereOf(options: LooseOptions, asked: LooseRow, req: Request, denied: ReadonlySet<string>): LooseWhere {
  const { filters = {}, customFilters = {}, paramNames = {}, search = [] } = options
  const byField = Object.entries(filters).flatMap(([field, filter]) => {
    const found = filterWhere(field, filter ?? {}, asked)
    if (found.length > 0 && denied.has(field)) throw new ValidationError({ [wireName(field, paramNames)]: ['There is no such filter'] })
    return found
  })
  const own = Object.entries(customFilters).flatMap(([name, { where }]) => (asked[name] === undefined ? [] : where(asked[name] as never, req)))
  const searched = search.filter((field) => !denied.has(field))
  const text = asked.search ?? ''
  const found = text === '' ? [] : [{ any: searched.map((field) => [[field, 'contains', text]]) }]
  return [...byField, ...own, ...found as unknown as LooseWhere]
}

function filterWhere(field: string, { eq, oneOf, contains }: FieldFilter<unknown>, asked: LooseRow): LooseWhere {
  const operator = eq !== undefined ? '=' : oneOf !== undefined ? 'in' : contains && 'contains'
  const where = [[field, operator, asked[field]], [field, '>=', asked[`${field}_gte`]], [field, '<=', asked[`${field}_lte`]]]
  return where.filter(([, , value]) => value !== undefined) as unknown as LooseWhere
}

/** The whole order: what is asked for, and the key last, in the direction of what stands before it. */
export function orderOf({ order = [], paramNames = {} }: LooseOptions, sort: unknown, key: string, denied: ReadonlySet<string>): string[] {
  const asked = typeof sort === 'string' ? sort.split(',') : undefined
  if (asked?.some((spelling) => denied.has(fieldOf(spelling)))) {
    throw new ValidationError({ [wireName('sort', paramNames)]: ['This cannot be sorted by'] })
  }
  const keys = asked ?? order
  const end = keys.findIndex((spelling) => fieldOf(spelling) === key)
  if (end !== -1) return keys.slice(0, end + 1) // behind a unique key nothing decides any more
  return [...keys, keys.at(-1)?.startsWith('-') ? `-${key}` : key]
}

function fieldOf(spelling: string): string {
  return spelling.replace(/^-/, '')
}
