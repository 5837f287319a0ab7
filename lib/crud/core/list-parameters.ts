import type { Request } from 'express'
import { z } from 'zod'
import { bodyFieldsOf, errorWith, fieldNamesOf, hasAtMost, idList, messageOf, MisuseError, param, queryToReadOf,
  stateOf, synchronous, ValidationError, type Message } from '../../core/index.js'
import type { Call, CrudPlan, Parameter } from './feature.js'
import type { FieldFilter } from './filters.js'
import type { AnyOptions, Row } from './any-resource.js'
import { ruledFields } from './rules.js'
import { valueOf } from './schemas.js'

const MAX_VALUES = 100
const MAX_LENGTH = 200
/** An encrypted cursor is longer than the one inside it, which has at most 2048 characters. */
const MAX_CURSOR_LENGTH = 4096

const searched = z
  .string()
  .refine(synchronous((value: string) => hasAtMost(MAX_LENGTH, value)), {
    error: errorWith(messageOf('field.at_most.characters', { max: MAX_LENGTH })),
  })
  .meta({ maxLength: MAX_LENGTH })

/** The names of the core's parameters that the option `paramNames` may rename. */
export const CORE_PARAMETERS: readonly string[] = ['page', 'limit', 'search', 'sort', 'cursor', 'ids']
/** Those that split the rows into pages, which an export does not have. */
const PAGING: readonly string[] = ['page', 'limit', 'cursor']

/**
 * Returns the parameters of a list by their own names, before `paramNames` renames them; `added` are those of features.
 */
export function listParameters(
  options: AnyOptions,
  key: string,
  id: z.ZodType,
  added: readonly Parameter[],
): Parameter[] {
  const { filters = {}, customFilters = {} } = options
  return [
    ...Object.entries(filters).flatMap(([field, filter = {}]) => toParameters(filterShape(field, filter), field)),
    ...Object.entries(customFilters).map(([name, { value }]): Parameter => ({
      name: filterName(name),
      sentAs: name,
      schema: value.optional(),
      selectsRows: true,
    })),
    ...toParameters({ ...pageShape(options), ...sortShape(options, key) }),
    ...added,
    ...toParameters({ ids: idsSchema(id) }),
  ]
}

function toParameters(shape: Readonly<Record<string, z.ZodType>>, field?: string): Parameter[] {
  return Object.entries(shape).map(([name, schema]) => ({
    ...(field === undefined ? { name } : { name: filterName(name), sentAs: name }),
    schema,
    field,
    selectsRows: field !== undefined || !PAGING.includes(name),
  }))
}

/** Returns the name of a filter among the arguments of a list: a column may be called like another parameter. */
export function filterName(name: string): string {
  return `filter ${name}`
}

function pageShape(
  { maxLimit = 100, limit = Math.min(20, maxLimit), search = [], cursor = true }: AnyOptions,
): Record<string, z.ZodType> {
  const lastPage = Math.floor(Number.MAX_SAFE_INTEGER / maxLimit) - 1
  const cursorSchema = z.string().max(MAX_CURSOR_LENGTH, { error: errorWith(messageOf('field.cursor')) }).optional()
  return {
    page: param.int().min(1).max(lastPage, { error: errorWith(messageOf('field.page_too_far')) }).default(1),
    limit: param.int().min(1).max(maxLimit).default(limit),
    ...(search.length > 0 && { search: searched.default('').describe('A string to search for, literally') }),
    ...(cursor && {
      cursor: cursorSchema.meta({ description: 'Empty for the first page, then `next` of the page before',
        examples: [''] }),
    }),
  }
}

export function sortableFields({ sort = [], output }: AnyOptions, key: string): string[] {
  return [...new Set(Object.hasOwn(output.shape, key) ? [...sort, key] : sort)]
}

/** Returns the field in a term of an order: `-createdAt` is the field `createdAt`. */
export function fieldOf(spelling: string): string {
  return spelling.replace(/^-/, '')
}

function sortShape(options: AnyOptions, key: string): Record<string, z.ZodType> {
  const sortable = sortableFields(options, key)
  if (sortable.length === 0) return {}
  const description = `Any of ${sortable.join(', ')}, joined by commas, with - in front for descending`
  const examples = [`-${sortable.at(-1) ?? key}`]
  return { sort: sortSchema(sortable).optional().meta({ description, examples, pattern: onceEach(sortable) }) }
}

/** Returns the schema of `-createdAt,name`; the messages name no field, since some callers may not know of it. */
function sortSchema(fields: readonly string[]): z.ZodType {
  const key = `-?${anyOf(fields)}`
  const areOnce = (keys: readonly string[]): boolean => new Set(keys.map(fieldOf)).size === keys.length
  return z
    .string()
    .regex(new RegExp(`^${key}(?:,${key})*$`), { error: errorWith(messageOf('field.sort')) })
    .refine(synchronous((keys: string) => areOnce(keys.split(','))), {
      error: errorWith(messageOf('field.sort_twice')),
    })
}

function anyOf(fields: readonly string[]): string {
  return `(?:${fields.map((field) => field.replace(/[$.*+?^(){}|[\]\\]/g, '\\$&')).join('|')})`
}

/** Returns the pattern of the same for documents, which shows too that no field appears twice. */
function onceEach(fields: readonly string[]): string {
  const key = `-?${anyOf(fields)}`
  return `^(?!(?:.*,)?-?(${anyOf(fields)})(?:,.*)?,-?\\1(?:,|$))${key}(?:,${key})*$`
}

function idsSchema(id: z.ZodType): z.ZodType {
  return idList(id)
    .min(1, { error: errorWith(messageOf('field.ids_missing')) })
    .max(MAX_VALUES, { error: errorWith(messageOf('field.ids_too_many', { max: MAX_VALUES })) })
    .optional()
    .describe('Only these records, joined by commas, in this order')
}

function filterShape(
  field: string,
  { eq, oneOf, contains, range, ne, isNull }: FieldFilter<unknown>,
): Record<string, z.ZodType> {
  return {
    ...(eq && { [field]: eq.optional() }),
    ...(oneOf && { [field]: param.list(oneOf).min(1).max(MAX_VALUES).optional() }),
    ...(contains && { [field]: searched.optional() }),
    ...(range && { [`${field}_gte`]: range.optional(), [`${field}_lte`]: range.optional() }),
    ...(ne && { [`${field}_ne`]: ne.optional() }),
    ...(isNull && { [`${field}_isNull`]: param.bool().optional() }),
  }
}

type ParamNames = NonNullable<AnyOptions['paramNames']>

/** Returns the schemas of parameters by the names that callers use. */
export function renameShape(parameters: readonly Parameter[], paramNames: ParamNames): Record<string, z.ZodType> {
  return Object.fromEntries(parameters.map((parameter) => [sentName(parameter, paramNames), parameter.schema]))
}

/** Returns the query of a list: the values of parameters by their own names, for the features. */
export function restoreNames(call: Call, parameters: readonly Parameter[], args: Row): Row {
  const { options: { paramNames = {} }, features } = call.plan
  const values = Object.fromEntries(
    parameters.map((parameter) => [parameter.name, valueOf(args, sentName(parameter, paramNames))]),
  )
  return features.reduce<Row>((restored, { readParameters }) => readParameters?.(call, restored) ?? restored, values)
}

/** Returns the name that callers use for a parameter. */
export function wireName(name: string, paramNames: ParamNames): string {
  return Object.hasOwn(paramNames, name) ? (paramNames[name] ?? name) : name
}

/** Returns the name that callers use for a parameter of the list, which may be a filter. */
export function sentName({ name, sentAs }: Pick<Parameter, 'name' | 'sentAs'>, paramNames: ParamNames): string {
  return sentAs ?? wireName(name, paramNames)
}

/** A parameter by its name, with the field of the rows that it is about. */
type NamedField = Pick<Parameter, 'name' | 'sentAs' | 'field'>

/**
 * Makes the check of the names in the query of a list, an export or an import: a misspelt filter would otherwise answer
 * with every row, and a misspelt `dryRun` would import them.
 *
 * A parameter of a field that the caller may not read is as unknown as one that was never declared. The body of
 * a POST has no names of the query, unless it is a `form` with fields of its own.
 *
 * @throws MisuseError `crud_unknown_params` for an option that is neither 'refuse', 'ignore' nor a list of names.
 */
export function nameCheckOf(
  plan: CrudPlan,
  parameters: readonly NamedField[],
  { form = false } = {},
): (call: Call) => Promise<void> {
  const { unknownParams = 'refuse', paramNames = {}, fields = {} } = plan.options
  checkUnknownParams(unknownParams)
  if (unknownParams === 'ignore') return () => Promise.resolve()
  const declared = parameters.map((parameter) => ({ name: sentName(parameter, paramNames), field: parameter.field }))
  const ignored = unknownParams === 'refuse' ? [] : unknownParams
  const openToAll = new Set([...namesWithout(declared, new Set(ruledFields(fields))), ...ignored])
  const isOther = (name: string): boolean =>
    !declared.some((parameter) => parameter.name === name)
    && !plan.features.some(({ pathArguments = [] }) => pathArguments.includes(name))
  return async (call) => {
    const { req } = call
    const { credentialsInQuery } = stateOf(req)
    const inQuery = Object.keys(queryToReadOf(req)).filter((name) =>
      !openToAll.has(name) && !credentialsInQuery.includes(name)
    )
    const inBody = req.method === 'POST' && !form ? Object.keys(bodyFieldsOf(req)) : []
    if (inQuery.length + inBody.length === 0) return
    const denied = await call.denied('read')
    const usable = [...namesWithout(declared, denied), ...declaredNames(req).filter(isOther)]
    const unknown = [...inQuery, ...inBody].filter((name) => !usable.includes(name))
    if (unknown.length > 0) {
      const names = (await namesToShow(call, usable, denied)).join(', ')
      throw refusal(unknown, messageOf('field.parameter_unknown.names', { names }))
    }
    if (inBody.length > 0) throw refusal(inBody, messageOf('field.parameter_in_query'))
  }
}

function checkUnknownParams(option: unknown): void {
  if (option === 'refuse' || option === 'ignore') return
  if (Array.isArray(option) && option.every((name) => typeof name === 'string' && name !== '')) return
  throw new MisuseError(
    'crud_unknown_params',
    "`unknownParams` of crud must be 'refuse', 'ignore' or a list of the names to ignore, such as ['_', 'lang'].",
  )
}

function namesWithout(declared: readonly NamedField[], fields: ReadonlySet<string>): string[] {
  return declared.flatMap(({ name, field }) => (field !== undefined && fields.has(field) ? [] : [name]))
}

/** Returns the names in the schemas of the route: an action may have been given parameters of its own. */
function declaredNames(req: Request): string[] {
  const { route } = stateOf(req)
  return [route?.input, route?.query].flatMap((schema) => fieldNamesOf(schema))
}

/** Returns the names without those that this caller may not use. */
async function namesToShow(
  call: Call,
  usable: readonly string[],
  denied: ReadonlySet<string>,
): Promise<string[]> {
  const { options: { paramNames = {} }, features } = call.plan
  const hidden = await Promise.all(
    features.map(async ({ hiddenParameters }) => await hiddenParameters?.(call, denied) ?? []),
  )
  const names = hidden.flat().map((name) => wireName(name, paramNames))
  return usable.filter((name) => !names.includes(name)).sort()
}

function refusal(names: readonly string[], message: Message): ValidationError {
  return new ValidationError(Object.fromEntries(names.map((name) => [name, [message]])))
}
