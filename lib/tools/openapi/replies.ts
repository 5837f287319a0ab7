import { encodeBy, isObject, STATUS_PHRASES, mapValues, type Encoding, type Envelope,
  type MountedRoute } from '../../core/index.js'
import { envelope, FAILURE_SCHEMAS, SHARED_RESPONSES, type EnvelopeSchema } from './failures.js'
import { toPascalCase } from './names.js'
import type { Content, JsonSchema, MediaType, Operation, Reference, Response } from './types.js'

/** The descriptions of replies in one envelope. */
export interface Replies {
  readonly success: (route: MountedRoute, data: JsonSchema) => Content
  /** Returns the reference to a shared response, by its name. */
  readonly failure: (name: string) => Reference
  /** The shared responses, by reference. */
  readonly components: ReadonlyMap<string, Response>
}

const RESPONSES = '#/components/responses/'

/**
 * Returns the descriptions of replies in the envelope of this package, or in another one. Names of shared responses end
 * with the suffix.
 */
function repliesIn(encoding: Encoding | undefined, suffix: string): Replies {
  const shared = Object.entries(SHARED_RESPONSES).map(([name, response]) =>
    [name, { $ref: `${RESPONSES}${name}${suffix}` }, inEnvelope(encoding, response)] as const
  )
  const references = new Map(shared.map(([name, reference]) => [name, reference]))
  return {
    success: (route, data) => successContent(encoding, successEnvelope(route, data)),
    failure: (name) => references.get(name) ?? { $ref: RESPONSES + name },
    components: new Map(shared.map(([, { $ref }, response]) => [$ref, response])),
  }
}

/** Returns the descriptions for all envelopes of an app; the first one has the plain names of shared responses. */
export function repliesByEncoding(encodings: readonly (Encoding | undefined)[]): {
  readonly of: (encoding: Encoding | undefined) => Replies
  readonly components: Replies['components']
} {
  const distinct = [...new Set(encodings)]
  const replies = new Map(
    distinct.map((encoding, index) => [encoding, repliesIn(encoding, index === 0 ? '' : String(index + 1))]),
  )
  return {
    of: (encoding) => replies.get(encoding) ?? repliesIn(encoding, ''),
    components: new Map([...replies.values()].flatMap(({ components }) => [...components])),
  }
}

const ANY_BODY: JsonSchema = { description: 'A body in an envelope of the application' }

function successContent(encoding: Encoding | undefined, schema: EnvelopeSchema): Content {
  if (encoding === undefined) return { 'application/json': { schema } }
  const { options, successType } = encoding
  const body = options.success === undefined ? schema : bodySchema(options.schema?.success?.(schema.properties))
  return { [withoutParameters(successType)]: { schema: body } }
}

function inEnvelope(encoding: Encoding | undefined, response: Response): Response {
  const json = response.content?.['application/json']
  if (encoding === undefined || json === undefined) return response
  const body = encoding.options.failure === undefined ? json : failureBody(encoding, json)
  return { ...response, content: { [withoutParameters(encoding.failureType)]: body } }
}

function failureBody(encoding: Encoding, { schema, example }: MediaType): MediaType {
  const { properties } = resolve(schema) as EnvelopeSchema
  const { reason = {} } = resolve(properties.meta).properties ?? {}
  const body = bodySchema(encoding.options.schema?.failure?.({ ...properties, reason }))
  return { schema: body, example: encodeBy(encoding, example as Envelope, undefined)?.body }
}

function bodySchema(schema: object | undefined): JsonSchema {
  return isObject(schema) ? schema : ANY_BODY
}

/** Returns the schema that a reference to a shared schema of errors names. */
function resolve(schema: JsonSchema): JsonSchema {
  const shared: Readonly<Record<string, JsonSchema>> = FAILURE_SCHEMAS
  return shared[String(schema.$ref).replace('#/components/schemas/', '')] ?? schema
}

function withoutParameters(type: string): string {
  return type.replace(/;.*/, '')
}

/** The meta of bulk actions. */
const COUNTS: Readonly<Record<string, string>> = {
  createMany: 'CreatedMeta',
  updateMany: 'UpdatedMeta',
  deleteMany: 'DeletedMeta',
}

export function successEnvelope({ action, status, summed }: MountedRoute, data: JsonSchema): EnvelopeSchema {
  const count = Object.hasOwn(COUNTS, action) ? COUNTS[action] : undefined
  const name = count ?? (action === 'list' || data.type === 'array' ? 'PageMeta' : 'Meta')
  const meta = { $ref: `#/components/schemas/${name}` }
  const whole = summed.length === 0 ? meta : { allOf: [meta, sumsMeta(summed)] }
  return envelope({ type: 'integer', const: status }, data, whole)
}

/** Returns the meta of a list with sums; those of fields that the caller may not read are left out. */
function sumsMeta(columns: readonly string[]): JsonSchema {
  const sum = { type: 'string', description: 'The sum over all records of the list, with all digits' }
  const properties = Object.fromEntries(columns.map((column) => [column, sum]))
  return { type: 'object', properties: { aggregates: { type: 'object', properties } }, required: ['aggregates'] }
}

/**
 * Gives the envelopes of successes titles after the model in them, such as `PostReply`, `PostListReply` and
 * `PostCreatedReply`: generators that name schemas take them.
 */
export function withTitles<T extends Pick<Operation, 'responses'>>(operation: T): T {
  const responses = mapValues(operation.responses, (response, status) => {
    const content = 'content' in response ? response.content : undefined
    return content === undefined
      ? response
      : { ...response, content: mapValues(content, (media) => withTitle(media, Number(status))) }
  })
  return { ...operation, responses }
}

function withTitle(media: MediaType, status: number): MediaType {
  const title = titleOf(media.schema, status)
  return title === undefined ? media : { ...media, schema: { title, ...media.schema } }
}

function titleOf({ title, properties }: JsonSchema, status: number): string | undefined {
  const { code, data, meta } = properties ?? {}
  const model = code === undefined || meta === undefined || title !== undefined ? undefined : modelIn(data)
  return model && `${model}${status === 200 ? '' : toPascalCase(STATUS_PHRASES[status] ?? '')}Reply`
}

/** Returns the name of the model that a schema refers to, with `List` for a list of it. */
function modelIn({ $ref, items, anyOf = [] }: JsonSchema = {}): string | undefined {
  if ($ref !== undefined) return $ref.split('/').pop()
  if (items !== undefined) return modelIn(items)?.concat('List')
  const [only, ...others] = anyOf.filter(({ type }) => type !== 'null')
  return only === undefined || others.length > 0 ? undefined : modelIn(only)
}
