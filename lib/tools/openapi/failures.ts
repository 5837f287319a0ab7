import { messageOf, STATUS_PHRASES, type Reason, type StatusReason } from '../../core/index.js'
import type { Header, JsonSchema, Response } from './types.js'

/** The reply with one status of errors. */
interface FailureTraits {
  readonly description: string
  /** The reasons of this package; an error of a handler may have one of its own. */
  readonly reasons: readonly (Reason | StatusReason)[]
  /** @default the reason phrase of the status */
  readonly message?: string
  /** The schema of `data` and its example. @default null */
  readonly data?: readonly [schema: JsonSchema, example: unknown]
  /** The components of its headers, by name. */
  readonly headers?: Readonly<Record<string, string>>
}

const FIELDS: JsonSchema = {
  type: 'object',
  description: 'The messages of each field, none where no field is to blame; those of the whole are under `_`.',
  additionalProperties: { type: 'array', items: { type: 'string' } },
}
const RETRY = { 'Retry-After': 'RetryAfter' }
const CHALLENGE = { 'WWW-Authenticate': 'Challenge' }

const VALIDATION: FailureTraits = {
  description: 'A value breaks its rule: the reply names the fields.',
  reasons: ['validation', 'idempotency_key_reused'],
  message: messageOf('field.required').text,
  data: [FIELDS, { name: [messageOf('field.required').text] }],
}

/** The replies that several routes share, each a component, by status. */
const FAILURES: Readonly<Record<string, readonly [name: string, FailureTraits]>> = {
  400: ['BadRequest', {
    description: 'The request cannot be read.',
    reasons: ['unreadable', 'bad_request', 'idempotency_key_missing', 'idempotency_key_invalid',
      'idempotency_key_anonymous'],
    message: messageOf('unreadable.json').text,
  }],
  401: ['Unauthorized', {
    description: 'There are no credentials, or they are not valid.',
    reasons: ['token_missing', 'token_invalid', 'token_expired', 'token_revoked', 'unauthorized'],
    message: messageOf('token_missing').text,
    headers: CHALLENGE,
  }],
  403: ['Forbidden', {
    description: 'Authenticated, but not allowed.',
    reasons: ['forbidden'],
    message: messageOf('forbidden').text,
    headers: CHALLENGE,
  }],
  404: ['NotFound', {
    description: 'There is no such record.',
    reasons: ['not_found'],
    message: messageOf('not_found').text,
  }],
  405: ['MethodNotAllowed', {
    description: 'The path has no such method.',
    reasons: ['method'],
    message: messageOf('method').text,
    headers: { Allow: 'Allow' },
  }],
  409: ['Conflict', {
    description: 'The write conflicts with what is stored, or with a rule: where a unique value is taken, the reply '
      + 'names its field.',
    reasons: ['conflict', 'conflict_deleted', 'conflict_children', 'conflict_cycle', 'conflict_parent',
      'idempotency_key_in_use'],
    message: messageOf('conflict').text,
    data: [{ anyOf: [FIELDS, { type: 'null' }] }, null],
  }],
  412: ['PreconditionFailed', {
    description: 'The stored version is not the one that `If-Match` names.',
    reasons: ['stale'],
    message: messageOf('stale').text,
  }],
  413: ['TooLarge', { description: 'The body is too large.', reasons: ['too_large'],
    message: messageOf('too_large.body').text }],
  415: ['MediaType', {
    description: 'The media type or charset of the body is not supported.',
    reasons: ['media_type'],
    message: messageOf('media_type').text,
  }],
  422: ['Validation', VALIDATION],
  428: ['PreconditionRequired', {
    description: 'The If-Match header is required.',
    reasons: ['precondition_missing'],
    message: messageOf('precondition_missing').text,
  }],
  429: ['TooManyRequests', {
    description: 'Too many requests.',
    reasons: ['too_many_requests'],
    headers: RETRY,
  }],
  500: ['InternalError', { description: 'A fault of the server.', reasons: ['internal'],
    message: messageOf('internal').text }],
  503: ['Unavailable', {
    description: 'A service that the reply needs is down.',
    reasons: ['unavailable'],
    message: messageOf('unavailable').text,
    headers: RETRY,
  }],
}

/** Headers of errors, each a component. */
export const SHARED_HEADERS: Readonly<Record<string, Header>> = {
  Allow: {
    description: 'The methods of this path, joined by commas (RFC 9110 §10.2.1)',
    required: true,
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'When to try again (RFC 9110 §10.2.3)', schema: { type: 'string' } },
  Challenge: { description: 'The credentials that are required (RFC 9110 §11.6.1)', schema: { type: 'string' } },
}

/** A reason as the reply of any error may have it. */
const ANY_REASON: JsonSchema = { type: 'string', pattern: '^[\\w.-]{1,64}$', description: 'A stable word for programs' }

/** The schemas of errors that every document may refer to. */
export const FAILURE_SCHEMAS = {
  ErrorMeta: metaWith(ANY_REASON),
  ErrorEnvelope: envelope(
    { type: 'integer', minimum: 400, maximum: 599 },
    { description: 'Nothing, or details' },
    { $ref: '#/components/schemas/ErrorMeta' },
  ),
  ValidationEnvelope: failureEnvelope(422, VALIDATION),
} as const satisfies Record<string, JsonSchema>

/** Replies that several routes share, each a component. */
export const SHARED_RESPONSES: Readonly<Record<string, Response>> = {
  ...Object.fromEntries(
    Object.entries(FAILURES).map(([status, [name, traits]]) => [name, failureResponse(Number(status), traits)]),
  ),
  Error: {
    description: 'Another error, e.g. of a rule of this operation.',
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/ErrorEnvelope' },
        example: { code: 402, message: 'Payment Required', data: null, meta: { reason: 'payment_required' } },
      },
    },
  },
  NotModified: { description: 'The copy that `If-None-Match` names is fresh.' },
}

/** Returns the name of the shared response with a status; `Error` for a status without one. */
export function failureName(status: string): string {
  return FAILURES[status]?.[0] ?? 'Error'
}

function failureResponse(status: number, traits: FailureTraits): Response {
  const { description, headers = {}, message, reasons: [reason], data } = traits
  const references = Object.entries(headers).map(([name, component]) =>
    [name, { $ref: `#/components/headers/${component}` }] as const
  )
  const schema = status === 422 ? { $ref: '#/components/schemas/ValidationEnvelope' } : failureEnvelope(status, traits)
  const text = message ?? STATUS_PHRASES[status]
  const example = { code: status, message: text, data: data?.[1] ?? null, meta: { reason } }
  return {
    description,
    ...(references.length > 0 && { headers: Object.fromEntries(references) }),
    content: { 'application/json': { schema, example } },
  }
}

function failureEnvelope(status: number, { reasons, data }: FailureTraits): JsonSchema {
  const knownReasons: JsonSchema = { type: 'string', enum: reasons }
  const own: JsonSchema = { ...ANY_REASON, description: 'A reason of the application' }
  return envelope(
    { type: 'integer', const: status },
    data?.[0] ?? { description: 'Nothing, or details' },
    metaWith({ anyOf: [knownReasons, own], description: 'A stable word for programs' }),
  )
}

function metaWith(reason: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: { reason, requestId: { description: 'The id of the request' } },
    required: ['reason'],
  }
}

export interface EnvelopeSchema extends JsonSchema {
  readonly properties: Readonly<Record<'code' | 'message' | 'data' | 'meta', JsonSchema>>
}

export function envelope(code: JsonSchema, data: JsonSchema, meta: JsonSchema): EnvelopeSchema {
  return {
    type: 'object',
    properties: { code, message: { type: 'string' }, data, meta },
    required: ['code', 'message', 'data', 'meta'],
  }
}
