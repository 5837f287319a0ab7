import type { MountedRoute } from '../routing/registry.js'
import type { FileFields, FileRule } from '../types.js'
import { fieldsOf, withoutDefaults, withoutFields, type Resolve } from './fields.js'
import { mapValues } from './map-values.js'
import type { OperationPlan } from './templates.js'
import { idsSchema, readsIds, readsQuery } from './parameters.js'
import type { Schemas } from './schemas.js'
import type { JsonSchema, MediaType, RequestBody } from './types.js'

/** What the body may hold: the fields of `input` that are not in the path, and files; of a hand-written route any object. */
export function requestBodyOf({ route, id }: OperationPlan, pathNames: readonly string[], schemas: Schemas): RequestBody | undefined {
  if (readsIds(route, pathNames)) return { required: false, content: { 'application/json': { schema: { type: 'object', properties: { ids: idsSchema(id) } } } } }
  if (!route.readsBody || readsQuery(route)) return undefined
  const { input, files } = route
  const resolve: Resolve = (schema) => schemas.resolve(schema)
  const schema = input === undefined ? { type: 'object' } : bodySchema(route, schemas.of(input, 'input'), pathNames, resolve)
  if (files !== undefined) return multipart(files, input === undefined ? [] : [schema], resolve)
  const fields = [...fieldsOf(schema, resolve).values()]
  if (input !== undefined && fields.length === 0 && isClosed(resolve(schema))) return undefined
  return { required: fields.some(({ required }) => required), content: { 'application/json': { schema } } }
}

function bodySchema({ action }: MountedRoute, input: JsonSchema, pathNames: readonly string[], resolve: Resolve): JsonSchema {
  const schema = withoutFields(input, pathNames, resolve)
  if (action === 'store') return withoutDefaults(schema, resolve)
  const { data } = schema.properties ?? {}
  // What a bulk change writes is a partial change, of several rows.
  return action === 'updateMany' && data !== undefined ? { ...schema, properties: { ...schema.properties, data: withoutDefaults(data, resolve) } } : schema
}

/** Whether an object takes no other fields than those it names: of a schema that is not loose the others are dropped. */
function isClosed({ additionalProperties = false }: JsonSchema): boolean {
  return additionalProperties === false
}

function multipart(files: FileFields, texts: readonly JsonSchema[], resolve: Resolve): RequestBody {
  const ofTexts = texts.flatMap((schema) => [...fieldsOf(schema, resolve)])
  const properties = { ...Object.fromEntries(ofTexts.map(([name, { schema }]) => [name, schema])), ...mapValues(files, fileSchema) }
  const required = [
    ...ofTexts.flatMap(([name, field]) => (field.required ? [name] : [])),
    ...Object.entries(files).flatMap(([name, rule]) => (rule.required ? [name] : [])),
  ]
  const schema = { type: 'object', properties, ...(required.length > 0 && { required }) }
  return { required: required.length > 0, content: { 'multipart/form-data': { schema, ...encodingOf(files) } } }
}

function fileSchema({ maxCount = 1, maxBytes = 10_000_000 }: FileRule): JsonSchema {
  const file = { type: 'string', format: 'binary', description: `At most ${maxBytes} bytes` }
  return maxCount === 1 ? file : { type: 'array', items: file, maxItems: maxCount }
}

/** The media types that are accepted, for the fields that name any. */
function encodingOf(files: FileFields): Pick<MediaType, 'encoding'> {
  const named = Object.entries(files).flatMap(([name, { types }]) => (types === undefined ? [] : [[name, { contentType: types.join(', ') }] as const]))
  return named.length > 0 ? { encoding: Object.fromEntries(named) } : {}
}
