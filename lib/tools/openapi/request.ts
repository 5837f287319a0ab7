import { z } from 'zod'
import { pathNamesOf, type HeaderTraits, type MountedRoute } from '../../core/index.js'
import { exampleOf, givenExample, numberExample } from './examples.js'
import { fieldsOf, type Field } from './fields.js'
import { withNote } from './clean-schema.js'
import { COMMAS } from './corrections.js'
import type { Models } from './models.js'
import { isReplaced } from './reading.js'
import { accepted, isPredictable } from './refusals.js'
import { readsQuery, type DocumentedRoute } from './routes.js'
import type { JsonSchema, Parameter } from './types.js'

/** The parts of a route's operation. */
export interface OperationPlan extends DocumentedRoute {
  /** The schema of one id of the resource. */
  readonly id: JsonSchema
  readonly models: Models
}

/** Returns a function that plans the operations of these routes. */
export function operationPlans(
  routes: readonly DocumentedRoute[],
  models: Models,
): (documented: DocumentedRoute) => OperationPlan {
  const ids = idsOfRecords(routes, models)
  return (documented) => ({
    ...documented,
    models,
    id: ids.get(recordPath(documented.route, `${documented.path}/:id`)) ?? { type: 'string' },
  })
}

/** Returns the schema of the `id` in the path of one record, by application, resource and path. */
function idsOfRecords(routes: readonly DocumentedRoute[], models: Models): Map<string, JsonSchema> {
  const ids = new Map<string, JsonSchema>()
  for (const { path, route } of routes) {
    const place = recordPath(route, path)
    if (route.input === undefined || ids.has(place) || pathNamesOf(path).at(-1) !== 'id') continue
    const id = fieldsIn(route.input, models).get('id')
    if (id !== undefined) ids.set(place, id.schema)
  }
  return ids
}

function recordPath({ app, resource }: MountedRoute, path: string): string {
  return JSON.stringify([app, resource, path])
}

/** Returns the path arguments in their order, the fields of the query, and the headers that the handler reads. */
export function parametersOf(plan: OperationPlan): Parameter[] {
  const { path, route, template, models } = plan
  const own = pathNamesOf(path)
  const input = fieldsIn(route.input, models)
  const ofQuery = fieldsIn(route.query, models)
  const query = new Map([...(readsQuery(route) ? input : []), ...ofQuery])
  for (const name of own) query.delete(name)
  const inPath = own.map((name, index) =>
    pathParameter(template.names[index] ?? name, input.get(name) ?? ofQuery.get(name), route, name)
  )
  const isStrict = route.input !== undefined
    && models.resolve(models.of(route.input, 'input')).additionalProperties === false
  return [
    ...inPath,
    ...[...query].map(([name, field]) => queryParameter(name, field, plan)),
    ...(isStrict ? [] : conventional(plan, query, own)),
    ...Object.entries(route.requestHeaders).map(([name, header]) => headerParameter(name, header, route)),
  ]
}

export function fieldsIn(schema: MountedRoute['input'], models: Models): Map<string, Field> {
  return schema === undefined ? new Map<string, Field>() : fieldsOf(models.of(schema, 'input'), models.resolve)
}

/** Actions whose record should not be the one that other examples use. */
const REMOVING = ['delete', 'purge']

function pathParameter(name: string, field: Field | undefined, route: MountedRoute, argument: string): Parameter {
  // A wildcard is read as a list of segments, and is one string on the wire.
  const schema = field === undefined || field.schema.type === 'array' ? { type: 'string' } : field.schema
  const made = accepted(argument, numberExample(schema, REMOVING.includes(route.action) ? 2 : 1), route)
  return {
    name,
    in: 'path',
    required: true,
    ...withDescription(schema, declaredExample(route, argument) ?? givenExample(schema) ?? made),
  }
}

function queryParameter(name: string, { schema, required }: Field, plan: OperationPlan): Parameter {
  const { [COMMAS]: joined, ...rest } = schema
  const example = declaredExample(plan.route, name) ?? givenExample(rest)
  return {
    name,
    in: 'query',
    required,
    ...(allowsEmpty(name, schema, plan) && { allowEmptyValue: true }),
    ...(joined === true && { style: 'form', explode: false }),
    ...(required ? withDescription(rest, example ?? requiredExample(name, schema, plan)) : optional(rest, example)),
  }
}

function requiredExample(
  name: string,
  { [COMMAS]: joined, ...schema }: JsonSchema,
  { route, models }: OperationPlan,
): unknown {
  if (joined === true && schema.items !== undefined) return idsExample(schema.items, route)
  if (!isPredictable(route.query ?? route.input)) return undefined
  return accepted(name, exampleOf(schema, { name, number: 1, resolve: models.resolve }), route)
}

/** Describes an optional parameter, whose example is only told: a page would send it. */
function optional(
  { example: _one, examples: _several, ...schema }: JsonSchema,
  example: unknown,
): Pick<Parameter, 'description' | 'schema'> {
  if (example === undefined || example === '') return withDescription(schema, undefined)
  const shown = typeof example === 'string' ? example : JSON.stringify(example)
  const text = `for example \`${Array.isArray(example) ? example.join(',') : shown}\``
  return withDescription({ ...schema, description: withNote(schema.description, text) }, undefined)
}

function allowsEmpty(name: string, schema: JsonSchema, { route, models }: OperationPlan): boolean {
  const { [COMMAS]: joined, minItems, ...rest } = schema
  // The empty string is a list joined by commas without items.
  return (joined === true && minItems === undefined) || acceptsEmpty(models.resolve(rest))
    || isReplaced(route.reading?.query, name)
}

/** Validators refuse `?search=` unless the document allows it. */
function acceptsEmpty({ type, minLength = 0, format, pattern, enum: values, const: value }: JsonSchema): boolean {
  return type === 'string' && minLength === 0
    && [format, pattern, values, value].every((keyword) => keyword === undefined)
}

function headerParameter(
  name: string,
  { description, required = false, example, pattern }: HeaderTraits,
  route: MountedRoute,
): Parameter {
  const schema = { description, type: 'string', ...(pattern !== undefined && { pattern }) }
  const shown = declaredExample(route, name) ?? example
  return { name, in: 'header', required, ...(required ? withDescription(schema, shown) : optional(schema, shown)) }
}

function declaredExample({ examples }: MountedRoute, name: string): unknown {
  return Object.hasOwn(examples, name) ? examples[name] : undefined
}

function withDescription(
  { description, ...schema }: JsonSchema,
  example: unknown,
): Pick<Parameter, 'description' | 'schema' | 'example'> {
  return { ...(description !== undefined && { description }), schema, ...(example !== undefined && { example }) }
}

/** The last page whose rows have a number, with the longest pages. */
const LAST_PAGE = Math.floor(Number.MAX_SAFE_INTEGER / 100) - 1

/**
 * The parameters that `RequestParam.page` reads without options; a list with other bounds declares them in its `input`.
 */
const PAGING: Readonly<Record<string, JsonSchema>> = {
  page: { description: 'The page, from 1', type: 'integer', minimum: 1, maximum: LAST_PAGE, default: 1 },
  limit: { description: 'The length of a page', type: 'integer', minimum: 1, maximum: 100, default: 20 },
  search: { description: 'A string to look for, literally', type: 'string', maxLength: 200, default: '' },
}

/**
 * Returns the parameters that undeclared lists and bulk deletes read by `RequestParam`, where the schemas do not
 * mention them.
 */
function conventional(
  { route, id }: OperationPlan,
  declared: ReadonlyMap<string, Field>,
  pathNames: readonly string[],
): Parameter[] {
  const { action, method } = route
  if (action === 'list' && method === 'GET' && !['page', 'limit', 'cursor'].some((name) => declared.has(name))) {
    return Object.entries(PAGING).filter(([name]) => !declared.has(name)).map(([name, schema]) => ({
      name,
      in: 'query',
      required: false,
      ...(acceptsEmpty(schema) && { allowEmptyValue: true }),
      ...withDescription(schema, undefined),
    }))
  }
  return readsIds(route, pathNames) ? [{ ...IDS, ...withDescription(idsSchema(id), undefined) }] : []
}

/** Returns true for a bulk delete that reads its ids by `RequestParam.ids`: its `input` has path arguments at most. */
export function readsIds({ action, input, readsBody }: MountedRoute, pathNames: readonly string[]): boolean {
  const readsPath = input === undefined
    || (input instanceof z.ZodObject && Object.keys(input.shape).every((name) => pathNames.includes(name)))
  return action === 'deleteMany' && readsPath && readsBody
}

const IDS = {
  name: 'ids',
  in: 'query',
  required: true,
  description: 'The ids, joined by commas; a body `{ "ids": [1, 2] }` is read in their place',
  style: 'form',
  explode: false,
} as const

/**
 * Returns the schema of the ids that `RequestParam.ids` reads without options, each as the path of one record has it.
 */
function idsSchema(id: JsonSchema): JsonSchema {
  return { type: 'array', items: id, minItems: 1, maxItems: 100 }
}

/** Returns ids of records; a bulk delete has others than a list. */
function idsExample(id: JsonSchema, route: MountedRoute): unknown {
  const first = route.action === 'deleteMany' ? 3 : 1
  const ids = [first, first + 1].map((number) => numberExample(id, number))
  return declaredExample(route, 'ids') ?? (ids.includes(undefined) ? undefined : ids)
}
