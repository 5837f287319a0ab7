import { pathNamesOf, type FileFields, type FileRule, type MountedRoute } from '../../core/index.js'
import { bodyExample, exampleOf } from './examples.js'
import { fieldsOf, withoutDefaults, withoutFields, type Field, type Resolve } from './fields.js'
import { withEmptyStrings, withList } from './reading.js'
import { isPredictable, refusedFields } from './refusals.js'
import { fieldsIn, readsIds, type OperationPlan } from './request.js'
import { readsQuery } from './routes.js'
import type { JsonSchema, MediaType, RequestBody } from './types.js'

/**
 * Returns the schema of the body: the fields of `input` that are not in the path, and files; any object if nothing is
 * declared.
 */
export function requestBodyOf(plan: OperationPlan): RequestBody | undefined {
  const { path, route, models } = plan
  const { input, files } = route
  const pathNames = pathNamesOf(path)
  // A bulk delete is documented with its ids in the query: a body of DELETE has no meaning for many clients.
  if (readsIds(route, pathNames) || !route.readsBody || readsQuery(route)) return undefined
  const schema = input && bodySchema(route, models.of(input, 'input'), pathNames, models.resolve)
  if (files !== undefined) return formBody(plan, files, schema)
  return schema === undefined
    ? { required: false, content: { 'application/json': { schema: { type: 'object' } } } }
    : jsonBody(plan, schema)
}

function jsonBody(plan: OperationPlan, schema: JsonSchema): RequestBody | undefined {
  const { route, models } = plan
  const { resolve } = models
  const fields = [...fieldsOf(schema, resolve).values()]
  if (fields.length === 0 && isClosed(resolve(schema))) return undefined
  const number = EXAMPLE_NUMBERS[route.action] ?? 4
  const example = bodyExample(schema, {
    resolve,
    number,
    declared: route.examples,
    isPredictable: isPredictable(route.input),
    refused: (body) =>
      route.input === undefined ? new Set() : refusedFields(route.input, { ...pathValues(plan), ...body }),
  })
  const model = models.body(plan, schema)
  const content = { schema: withList(model, route, models), ...(example !== undefined && { example }) }
  return { required: isNeeded(schema, resolve), content: { 'application/json': content } }
}

/** Returns values of the arguments in a path, which the same schema reads. */
function pathValues({ path, route, models }: OperationPlan): Readonly<Record<string, unknown>> {
  const { resolve } = models
  const fields = fieldsIn(route.input, models)
  const valueOf = (name: string, { schema }: Field): unknown =>
    route.examples[name] ?? exampleOf(schema, { resolve, name, number: 1 })
  const names = pathNamesOf(path)
  return Object.fromEntries(
    [...fields].filter(([name]) => names.includes(name)).map(([name, field]) => [name, valueOf(name, field)]),
  )
}

/** Returns true if a body is needed: an object without fields does not fit. */
function isNeeded(schema: JsonSchema, resolve: Resolve): boolean {
  const { required = [], anyOf, oneOf, allOf } = resolve(schema)
  if (required.length > 0 || allOf?.some((part) => isNeeded(part, resolve)) === true) return true
  return (anyOf ?? oneOf)?.every((part) => isNeeded(part, resolve)) ?? false
}

/** Values of examples differ between actions, since a value may have to be unique. */
const EXAMPLE_NUMBERS: Readonly<Record<string, number>> = { create: 1, edit: 2, store: 3 }

function bodySchema(
  route: MountedRoute,
  input: JsonSchema,
  pathNames: readonly string[],
  resolve: Resolve,
): JsonSchema {
  const schema = schemaOfChanges(route, withoutFields(input, pathNames, resolve), resolve)
  const { body } = route.reading ?? {}
  return body === undefined ? schema : withEmptyStrings(schema, body, resolve)
}

function schemaOfChanges({ action }: MountedRoute, schema: JsonSchema, resolve: Resolve): JsonSchema {
  if (action === 'store') return withoutDefaults(schema, resolve)
  const { data } = schema.properties ?? {}
  // A bulk update is a partial update of several records.
  return action === 'updateMany' && data !== undefined
    ? { ...schema, properties: { ...schema.properties, data: withoutDefaults(data, resolve) } }
    : schema
}

/** Returns true if an object has no other fields than those it names: a schema that is not loose drops them. */
function isClosed({ additionalProperties = false }: JsonSchema): boolean {
  return additionalProperties === false
}

function formBody(plan: OperationPlan, files: FileFields, schema: JsonSchema | undefined): RequestBody {
  const fields: (readonly [name: string, field: Field])[] = [
    ...(schema === undefined ? [] : fieldsOf(schema, plan.models.resolve)),
    ...Object.entries(files).map(([name, rule]) => [name, fileField(rule)] as const),
  ]
  const properties = Object.fromEntries(fields.map(([name, field]) => [name, field.schema]))
  const required = fields.filter(([, field]) => field.required).map(([name]) => name)
  const form = { type: 'object', properties, ...(required.length > 0 && { required }) }
  return {
    required: required.length > 0,
    content: { 'multipart/form-data': { schema: plan.models.body(plan, form), ...encodingOf(files) } },
  }
}

function fileField({ maxCount = 1, maxBytes = 10_000_000, required = false, types = [] }: FileRule): Field {
  const [only = 'application/octet-stream'] = types.length === 1 ? types : []
  const file = { type: 'string', format: 'binary', contentMediaType: only, description: `At most ${maxBytes} bytes` }
  const files = { type: 'array', items: file, ...(required && { minItems: 1 }), maxItems: maxCount }
  return { schema: maxCount === 1 ? file : files, required }
}

/** Returns the media types of the fields that name any. */
function encodingOf(files: FileFields): Pick<MediaType, 'encoding'> {
  const named = Object.entries(files).flatMap(([name, { types }]) =>
    types === undefined ? [] : [[name, { contentType: types.join(', ') }] as const]
  )
  return named.length > 0 ? { encoding: Object.fromEntries(named) } : {}
}
