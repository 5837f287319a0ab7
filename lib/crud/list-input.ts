import { z } from 'zod'
import { idList, param } from '../param.js'
import { hasAtMost } from '../validate/strings.js'
import { synchronous } from '../validate/zod-schemas.js'
import type { FieldFilter, ListName, LooseOptions } from './options.js'

const MOST = 100
const LONGEST_TEXT = 200
/** An encrypted cursor is longer than the one inside it, which has at most 2048 characters. */
const LONGEST_CURSOR = 4096

const text = z.string('Must be a string')
  .refine(synchronous((value: string) => hasAtMost(LONGEST_TEXT, value)), `Must have at most ${LONGEST_TEXT} characters`)
  .meta({ maxLength: LONGEST_TEXT })

/** A parameter of a list; `field` is the field of the rows that it tells of, where there is one. */
export type Parameter = readonly [name: string, schema: z.ZodType, field?: string | undefined]

/** The parameters of a list by their own names, before `paramNames` renames them. */
export function listParameters(options: LooseOptions, key: string, id: z.ZodType): Parameter[] {
  const { filters = {}, customFilters = {} } = options
  return [
    ...Object.entries(filters).flatMap(([field, filter = {}]) => Object.entries(filterShape(field, filter)).map(([name, schema]): Parameter => [name, schema, field])),
    ...Object.entries(customFilters).map(([name, { value }]): Parameter => [name, value.optional()]),
    ...Object.entries<z.ZodType>({ ...pageShape(options), ...orderShape(options, key), ...kindShape(options), ids: idList(id).min(1, 'Provide at least one id').max(MOST, `Name at most ${MOST}`).optional().describe('These alone, joined by commas, in this order') }),
  ]
}

function pageShape({ maxLimit = 100, limit = Math.min(20, maxLimit), search = [], cursor = true }: LooseOptions): Record<string, z.ZodType> {
  const lastPage = Math.floor(Number.MAX_SAFE_INTEGER / maxLimit) - 1
  return {
    page: param.int().min(1, 'Must be at least 1').max(lastPage, 'There is no page so far out').default(1),
    limit: param.int().min(1, 'Must be at least 1').max(maxLimit, `Must be at most ${maxLimit}`).default(limit),
    ...(search.length > 0 && { search: text.default('').describe('A text to look for, literally') }),
    ...(cursor && {
      cursor: z.string('Must be a string').max(LONGEST_CURSOR, 'This cursor is not valid here').optional()
        .meta({ description: 'Empty for the first page, then `next` of the page before', examples: [''] }),
    }),
  }
}

function orderShape({ sort = [], output }: LooseOptions, key: string): Record<string, z.ZodType> {
  const sortable = [...new Set(Object.hasOwn(output.shape, key) ? [...sort, key] : sort)]
  const description = `Any of ${sortable.join(', ')}, joined by commas, with - in front for descending`
  return sortable.length > 0 ? { sort: sortSchema(sortable).optional().meta({ description, examples: [`-${sortable.at(-1) ?? key}`] }) } : {}
}

function kindShape({ softDelete, tree }: LooseOptions): Record<string, z.ZodType> {
  return {
    ...(softDelete && { deleted: z.enum(['only', 'with'], 'Must be only or with').optional().describe('`only` soft-deleted records, or all records `with` them; for callers who may restore') }),
    ...(tree && { tree: param.bool().default(false).describe('Whether rows come under their parents, as `children`; `page` and `limit` then count roots') }),
  }
}

/** The same under the names that callers use. */
export function renamed(parameters: readonly Parameter[], paramNames: NonNullable<LooseOptions['paramNames']>): Record<string, z.ZodType> {
  return Object.fromEntries(parameters.map(([name, schema]) => [wireName(name, paramNames), schema]))
}

export function wireName(name: string, names: NonNullable<LooseOptions['paramNames']>): string {
  return Object.hasOwn(names, name) ? (names[name as ListName] ?? name) : name
}

function filterShape(field: string, { eq, oneOf, contains, range, ne, isNull }: FieldFilter<unknown>): Record<string, z.ZodType> {
  return {
    ...(eq && { [field]: eq.optional() }),
    ...(oneOf && { [field]: param.list(oneOf).min(1, 'Name at least one').max(MOST, `Name at most ${MOST}`).optional() }),
    ...(contains && { [field]: text.optional() }),
    ...(range && { [`${field}_gte`]: range.optional(), [`${field}_lte`]: range.optional() }),
    ...(ne && { [`${field}_ne`]: ne.optional() }),
    ...(isNull && { [`${field}_isNull`]: param.bool().optional() }),
  }
}

/** Reads `-createdAt,name`; the messages name no field, since some callers may not know of it. */
function sortSchema(fields: readonly string[]): z.ZodType {
  const key = `-?(?:${fields.map((field) => field.replace(/[$.*+?^(){}|[\]\\]/g, '\\$&')).join('|')})`
  const areOnce = (keys: readonly string[]): boolean => new Set(keys.map((spelling) => spelling.replace(/^-/, ''))).size === keys.length
  return z.string('Must be a string')
    .regex(new RegExp(`^${key}(?:,${key})*$`), 'Cannot sort by this field')
    .refine(synchronous((keys: string) => areOnce(keys.split(','))), 'Sort by each field once')
}
