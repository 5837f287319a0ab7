import type { MountedRoute } from '../routing/registry.js'
import type { Header, JsonSchema, Response } from './types.js'

/** Schemas that every document may refer to, beside those of the user's. */
export const SHARED_SCHEMAS = {
  Meta: { type: 'object', description: 'More about the reply; often empty' },
  PageMeta: {
    type: 'object',
    description: 'The figures of a page: by number `total`, `page` and `limit`, by cursor `limit` and `next`.',
    properties: {
      total: { type: 'integer', minimum: 0, description: 'The number of all records' },
      page: { type: 'integer', minimum: 1 },
      limit: { type: 'integer', minimum: 1 },
      next: { type: ['string', 'null'], description: 'The cursor of the following page, null at the end' },
    },
  },
  CreatedMeta: counted('created'),
  UpdatedMeta: counted('updated'),
  DeletedMeta: counted('deleted'),
  ErrorMeta: {
    type: 'object',
    properties: {
      reason: { type: 'string', description: 'A stable word for programs' },
      requestId: { description: 'The id of the request' },
    },
    required: ['reason'],
  },
  ErrorEnvelope: envelope({ type: 'integer', minimum: 400, maximum: 599 }, { description: 'Nothing, or details' }, sharedSchema('ErrorMeta')),
  ValidationEnvelope: envelope(
    { type: 'integer', const: 422 },
    {
      type: 'object',
      description: 'The messages of each field; those of the whole are under `_`.',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
    sharedSchema('ErrorMeta'),
  ),
} as const satisfies Record<string, JsonSchema>

function counted(what: string): JsonSchema {
  return { type: 'object', properties: { [what]: { type: 'integer', minimum: 0, description: `The number of records that were ${what}` } } }
}

function sharedSchema(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

function envelope(code: JsonSchema, data: JsonSchema, meta: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: { code, message: { type: 'string' }, data, meta },
    required: ['code', 'message', 'data', 'meta'],
  }
}

/** The meta of bulk actions. */
const COUNTS: Readonly<Record<string, string>> = { createMany: 'CreatedMeta', updateMany: 'UpdatedMeta', deleteMany: 'DeletedMeta' }

/** Returns the envelope around what one route replies. */
export function successEnvelope({ action, status }: MountedRoute, data: JsonSchema): JsonSchema {
  const count = Object.hasOwn(COUNTS, action) ? COUNTS[action] : undefined
  const meta = count ?? (action === 'list' || data.type === 'array' ? 'PageMeta' : 'Meta')
  return envelope({ type: 'integer', const: status }, data, sharedSchema(meta))
}

/** Headers of errors, each a component. */
export const SHARED_HEADERS: Readonly<Record<string, Header>> = {
  Allow: { description: 'The methods of this path, joined by commas (RFC 9110 §10.2.1)', required: true, schema: { type: 'string' } },
  RetryAfter: { description: 'When to try again (RFC 9110 §10.2.3)', schema: { type: 'string' } },
  Challenge: { description: 'The credentials that are asked for (RFC 6750 §3)', schema: { type: 'string' } },
}

/** Replies that several routes share, each a component. */
export const SHARED_RESPONSES: Readonly<Record<string, Response>> = {
  BadRequest: failure('The request cannot be read.'),
  Conflict: failure('The write conflicts with what is stored, or with a rule: where a unique value is taken, `data` names its field.'),
  Error: failure('Another error, e.g. of a rule of this operation.'),
  Forbidden: failure('Authenticated, but not allowed.', { 'WWW-Authenticate': 'Challenge' }),
  InternalError: failure('A fault of the server.'),
  MediaType: failure('The media type or charset of the body is not supported.'),
  MethodNotAllowed: failure('The path has no such method.', { Allow: 'Allow' }),
  NotFound: failure('There is no such record.'),
  NotModified: { description: 'The copy that `If-None-Match` names is fresh.' },
  PreconditionFailed: failure('The stored version is not the one that `If-Match` names.'),
  PreconditionRequired: failure('The If-Match header is required.'),
  TooLarge: failure('The body is too large.'),
  TooManyRequests: failure('Too many requests.', { 'Retry-After': 'RetryAfter' }),
  Unauthorized: failure('There are no credentials, or they are not valid.', { 'WWW-Authenticate': 'Challenge' }),
  Unavailable: failure('A service that the reply needs is down.', { 'Retry-After': 'RetryAfter' }),
  Validation: failure('A value breaks its rule: `data` names the fields.', {}, 'ValidationEnvelope'),
}

function failure(description: string, headers: Readonly<Record<string, string>> = {}, schema = 'ErrorEnvelope'): Response {
  const references = Object.entries(headers).map(([name, component]) => [name, { $ref: `#/components/headers/${component}` }])
  return {
    description,
    ...(references.length > 0 && { headers: Object.fromEntries(references) as Record<string, { $ref: string }> }),
    content: { 'application/json': { schema: sharedSchema(schema) } },
  }
}
