import { mapSchemas } from '../openapi/clean-schema.js'
import { COMMAS } from '../openapi/corrections.js'
import { fieldsOf } from '../openapi/fields.js'
import type { Models } from '../openapi/models.js'
import { parametersOf, type OperationPlan } from '../openapi/request.js'
import { requestBodyOf } from '../openapi/request-body.js'
import { successEnvelope } from '../openapi/replies.js'
import { SHARED_SCHEMAS } from '../openapi/responses.js'
import type { JsonSchema, Parameter } from '../openapi/types.js'

export interface ToolSchemas {
  /** One object with path arguments, query, headers and body together. */
  readonly input: JsonSchema
  /** The envelope; `undefined` where a success has no body. */
  readonly output: JsonSchema | undefined
  /** The names of the arguments that are in the query. */
  readonly query: readonly string[]
  /** The header of each argument that is one. */
  readonly headers: ReadonlyMap<string, string>
}

/** The most characters of a pattern that a tool shows. */
const LONGEST_PATTERN = 60

/** Returns the schemas of a route; each contains the definitions that it refers to. */
export function schemasOf(plan: OperationPlan): ToolSchemas {
  const { route, models } = plan
  const parameters = parametersOf(plan).filter(({ name }) => name !== 'If-None-Match')
  const body = requestBodyOf(plan)?.content['application/json']?.schema
  const fields = body === undefined ? {} : models.resolve(body).properties ?? {}
  const taken = [...Object.keys(fields), ...parameters.map(({ name }) => name)]
  const argumentOf = ({ name }: Parameter): string =>
    name === 'If-Match' && !taken.includes('ifMatch') ? 'ifMatch' : name
  const properties = parameters.map((parameter) => {
    const { description, schema: { pattern, ...schema } } = isWildcard(route, parameter)
      ? { ...parameter, schema: SEGMENTS }
      : parameter
    // A model reads the description; patterns of headers and of orders are longer than the rest of a tool.
    const isShort = typeof pattern === 'string' && pattern.length < LONGEST_PATTERN
    return [argumentOf(parameter), {
      ...schema,
      ...(isShort && { pattern }),
      ...(description !== undefined && { description }),
    }] as const
  })
  const input = withBody(
    {
      type: 'object',
      properties: Object.fromEntries(properties),
      required: parameters.filter((parameter) => parameter.required).map(argumentOf),
    },
    body,
    models,
  )
  const headers = parameters.filter((parameter) => parameter.in === 'header')
  return {
    input: selfContained(input, models),
    output: isEmpty(route.status) ? undefined : selfContained(withTag(route, resultOf(plan)), models),
    query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
    // The header's own name is read too, so that no condition is lost.
    headers: new Map(headers.flatMap((header) => [[argumentOf(header), header.name], [header.name, header.name]])),
  }
}

/** Any success: a handler may reply with another status than the documented one. */
const SUCCESS: JsonSchema = { type: 'integer', minimum: 200, maximum: 299 }

/** Returns the schema of the envelope, whichever success the route replies with. */
function resultOf(plan: OperationPlan): JsonSchema {
  const { route } = plan
  const data = plan.models.reply(plan)
  const mayBeEmpty = route.output !== undefined && route.statuses.some(isEmpty)
  const envelope = successEnvelope(route, mayBeEmpty ? { anyOf: [data, { type: 'null' }] } : data)
  return { ...envelope, properties: { ...envelope.properties, code: SUCCESS } }
}

function isEmpty(status: number): boolean {
  return status === 204 || status === 205
}

/** The value of a wildcard is a list: a string with slashes would be one segment. */
const SEGMENTS: JsonSchema = { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 }

function isWildcard({ path }: OperationPlan['route'], { name, in: place }: Parameter): boolean {
  return place === 'path' && path.split('/').includes(`*${name}`)
}

/** Adds the version of the record where the route sends one. */
function withTag({ responseHeaders }: OperationPlan['route'], reply: JsonSchema): JsonSchema {
  const tag = responseHeaders.ETag
  if (tag === undefined) return reply
  const etag = { type: 'string', description: 'The version of this record, for `ifMatch`' }
  return { ...reply, properties: { ...reply.properties, etag } }
}

interface ArgumentsSchema extends JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
}

/**
 * Adds the fields of a body; of a union those of every variant, since providers of models refuse unions at the top of a
 * schema. The route validates which belong together.
 */
function withBody({ required, ...parameters }: ArgumentsSchema, body: JsonSchema | undefined,
  models: Models): JsonSchema
{
  if (body === undefined) return { ...parameters, ...requiring(required), additionalProperties: false }
  const fields = [...fieldsOf(body, models.resolve)]
  const own = fields.map(([name, { schema }]) => [name, schema] as const)
  return {
    ...parameters,
    properties: { ...Object.fromEntries(own), ...parameters.properties },
    ...requiring([...required, ...fields.flatMap(([name, field]) => (field.required ? [name] : []))]),
    ...(isClosed(body, models) && { additionalProperties: false }),
  }
}

/** Returns true for an object, or a union or intersection of objects, that declares all of its fields. */
function isClosed(schema: JsonSchema, models: Models): boolean {
  const { properties, additionalProperties = false, ...object } = models.resolve(schema)
  const parts = [object.anyOf, object.oneOf, object.allOf].flatMap((some) => some ?? [])
  const declares = properties !== undefined || parts.length > 0
  return declares && additionalProperties === false && parts.every((part) => isClosed(part, models))
}

function requiring(names: readonly string[]): Pick<JsonSchema, 'required'> {
  return names.length > 0 ? { required: [...new Set(names)] } : {}
}

/** Keywords that only OpenAPI knows. */
const FOREIGN = ['discriminator', COMMAS]

/**
 * Puts definitions in the place of references, since many agents do not follow them; a schema that contains itself is
 * under `$defs`.
 */
function selfContained(schema: JsonSchema, models: Models): JsonSchema {
  const names = new Map<string, string>()
  const definitions: Record<string, JsonSchema> = {}
  const nameOf = (reference: string): string => {
    const name = names.get(reference) ?? `Schema${names.size + 1}`
    names.set(reference, name)
    return name
  }
  const copy = ({ $ref, ...json }: JsonSchema, path: readonly string[]): JsonSchema => {
    const keywords = Object.entries(json).filter(([keyword]) => !FOREIGN.includes(keyword))
    const inside = (schema: JsonSchema): JsonSchema => copy(schema, path)
    const copied = Object.fromEntries(
      keywords.map(([keyword, value]) => [keyword, mapSchemas(keyword, value, inside)]),
    )
    if ($ref === undefined) return copied
    if (path.includes($ref)) return { $ref: `#/$defs/${nameOf($ref)}` }
    const definition = copy(definitionOf($ref, models), [...path, $ref])
    const name = names.get($ref)
    if (name === undefined) return { ...definition, ...copied }
    definitions[name] = definition
    return { $ref: `#/$defs/${name}`, ...copied }
  }
  const result = copy(schema, [])
  return Object.keys(definitions).length > 0 ? { ...result, $defs: definitions } : result
}

function definitionOf(reference: string, models: Models): JsonSchema {
  const shared: Readonly<Record<string, JsonSchema>> = SHARED_SCHEMAS
  const name = /^#\/components\/schemas\/(\w+)$/.exec(reference)?.[1] ?? ''
  return shared[name] ?? models.resolve({ $ref: reference })
}
