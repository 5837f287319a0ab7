import { mapValues } from '../openapi/clean-schema.js'
import type { Models } from '../openapi/models.js'
import { parametersOf, type OperationPlan } from '../openapi/request.js'
import { requestBodyOf } from '../openapi/request-body.js'
import { SHARED_SCHEMAS, successEnvelope } from '../openapi/responses.js'
import type { JsonSchema } from '../openapi/types.js'

/** The JSON Schemas of a tool. */
export interface ToolSchemas {
  /** One object with path arguments, query, headers and body together. */
  readonly input: JsonSchema
  /** The envelope; `undefined` where a success has no body. */
  readonly output: JsonSchema | undefined
  /** The names of the arguments that are no fields of the body. */
  readonly query: readonly string[]
  readonly headers: readonly string[]
}

/** Returns the schemas of a route; each contains the definitions that it refers to. */
export function schemasOf(plan: OperationPlan): ToolSchemas {
  const { route, models } = plan
  const parameters = parametersOf(plan)
  const named = (place: string): string[] => parameters.filter((one) => one.in === place).map(({ name }) => name)
  const properties = parameters.map(({ name, description, schema }) =>
    [name, { ...schema, ...(description !== undefined && { description }) }] as const
  )
  const required = parameters.filter((one) => one.required).map(({ name }) => name)
  const body = requestBodyOf(plan)?.content['application/json']?.schema
  const input = withBody(
    { type: 'object', properties: Object.fromEntries(properties), required },
    body === undefined ? undefined : models.resolve(body),
  )
  const hasReply = route.status !== 204 && route.status !== 205
  return {
    input: selfContained(input, models),
    output: hasReply ? selfContained(successEnvelope(route, models.reply(plan)), models) : undefined,
    query: named('query'),
    headers: named('header'),
  }
}

interface ArgumentsSchema extends JsonSchema {
  readonly properties: Readonly<Record<string, JsonSchema>>
  readonly required: readonly string[]
}

/** Adds the fields of a body; one that is not a plain object is required in addition. */
function withBody({ required, ...parameters }: ArgumentsSchema, body: JsonSchema | undefined): JsonSchema {
  if (body === undefined) return { ...parameters, ...requiring(required), additionalProperties: false }
  if (['oneOf', 'anyOf', 'allOf'].some((keyword) => keyword in body)) {
    return { ...parameters, ...requiring(required), allOf: [body] }
  }
  const isOpen = body.properties === undefined || body.additionalProperties !== undefined
  return {
    ...parameters,
    properties: { ...body.properties, ...parameters.properties },
    ...requiring([...required, ...body.required ?? []]),
    ...(!isOpen && { additionalProperties: false }),
  }
}

function requiring(names: readonly string[]): Pick<JsonSchema, 'required'> {
  return names.length > 0 ? { required: [...new Set(names)] } : {}
}

/** Keywords that only OpenAPI knows, those that hold schemas by name, and those that hold data. */
const FOREIGN = ['discriminator', 'x-joined-by-commas']
const NAMED = ['properties', 'patternProperties']
const DATA = ['const', 'default', 'enum', 'example', 'examples', 'required', 'type']

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
    const copied = Object.fromEntries(keywords.map(([keyword, value]) => [keyword, copyValue(keyword, value, path)]))
    if ($ref === undefined) return copied
    if (path.includes($ref)) return { $ref: `#/$defs/${nameOf($ref)}` }
    const definition = copy(definitionOf($ref, models), [...path, $ref])
    const name = names.get($ref)
    if (name === undefined) return { ...definition, ...copied }
    definitions[name] = definition
    return { $ref: `#/$defs/${name}`, ...copied }
  }
  const copyValue = (keyword: string, value: unknown, path: readonly string[]): unknown => {
    if (typeof value !== 'object' || value === null || DATA.includes(keyword)) return value
    if (NAMED.includes(keyword)) return mapValues(value as Record<string, JsonSchema>, (one) => copy(one, path))
    return Array.isArray(value) ? value.map((one: JsonSchema) => copy(one, path)) : copy(value as JsonSchema, path)
  }
  const result = copy(schema, [])
  return Object.keys(definitions).length > 0 ? { ...result, $defs: definitions } : result
}

function definitionOf(reference: string, models: Models): JsonSchema {
  const shared = /^#\/components\/schemas\/(\w+)$/.exec(reference)?.[1]
  return shared === undefined
    ? models.resolve({ $ref: reference })
    : SHARED_SCHEMAS[shared as keyof typeof SHARED_SCHEMAS]
}
