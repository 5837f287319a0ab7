import { pathNamesOf, STATUS_CODES, type MountedRoute } from '../../core/index.js'
import { mapValues } from './clean-schema.js'
import type { OperationPlan } from './request.js'
import type { Header, JsonSchema, Operation, Reference, Response } from './types.js'

/** Schemas that every document may refer to, in addition to those of the application. */
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
  ErrorEnvelope: envelope(
    { type: 'integer', minimum: 400, maximum: 599 },
    { description: 'Nothing, or details' },
    sharedSchema('ErrorMeta'),
  ),
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
  return {
    type: 'object',
    properties: { [what]: { type: 'integer', minimum: 0, description: `The number of records that were ${what}` } },
  }
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
const COUNTS: Readonly<Record<string, string>> = {
  createMany: 'CreatedMeta',
  updateMany: 'UpdatedMeta',
  deleteMany: 'DeletedMeta',
}

/** Returns the envelope of a route's reply. */
export function successEnvelope({ action, status, summed }: MountedRoute, data: JsonSchema): JsonSchema {
  const count = Object.hasOwn(COUNTS, action) ? COUNTS[action] : undefined
  const meta = sharedSchema(count ?? (action === 'list' || data.type === 'array' ? 'PageMeta' : 'Meta'))
  const whole = summed.length === 0 ? meta : { allOf: [meta, sumsMeta(summed)] }
  return envelope({ type: 'integer', const: status }, data, whole)
}

/** Returns the meta of a list with sums; those of fields that the caller may not read are left out. */
function sumsMeta(columns: readonly string[]): JsonSchema {
  const sum = { type: 'string', description: 'The sum over all records of the list, with all digits' }
  const properties = Object.fromEntries(columns.map((column) => [column, sum]))
  return { type: 'object', properties: { aggregates: { type: 'object', properties } }, required: ['aggregates'] }
}

/** Headers of errors, each a component. */
export const SHARED_HEADERS: Readonly<Record<string, Header>> = {
  Allow: {
    description: 'The methods of this path, joined by commas (RFC 9110 §10.2.1)',
    required: true,
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'When to try again (RFC 9110 §10.2.3)', schema: { type: 'string' } },
  Challenge: { description: 'The credentials that are required (RFC 6750 §3)', schema: { type: 'string' } },
}

/** Replies that several routes share, each a component. */
export const SHARED_RESPONSES: Readonly<Record<string, Response>> = {
  BadRequest: failure('The request cannot be read.'),
  Conflict: failure(
    'The write conflicts with what is stored, or with a rule: where a unique value is taken, `data` names its field.',
  ),
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

function failure(
  description: string,
  headers: Readonly<Record<string, string>> = {},
  schema = 'ErrorEnvelope',
): Response {
  const references = Object.entries(headers).map((
    [name, component],
  ) => [name, { $ref: `#/components/headers/${component}` }])
  return {
    description,
    ...(references.length > 0 && { headers: Object.fromEntries(references) as Record<string, { $ref: string }> }),
    content: { 'application/json': { schema: sharedSchema(schema) } },
  }
}

interface Rule {
  readonly status: string
  /** The name of the shared response. */
  readonly response: string
  /** Returns true if the route can reply with it. */
  readonly applies: (route: MountedRoute, hasArguments: boolean) => boolean
}

const always = (): boolean => true
const isGuarded = ({ guardedBy }: MountedRoute): boolean => guardedBy.length > 0
const isRead = ({ method }: MountedRoute): boolean => method === 'GET' || method === 'HEAD'

/** The shared responses that a route can give. A handler may add any 4xx: that is the `default`. */
const RULES: readonly Rule[] = [
  { status: '304', response: 'NotModified', applies: isRead },
  {
    status: '400',
    response: 'BadRequest',
    applies: (route, hasArguments) => hasArguments || route.readsBody || isGuarded(route),
  },
  { status: '401', response: 'Unauthorized', applies: isGuarded },
  { status: '403', response: 'Forbidden', applies: ({ permission }) => permission !== undefined },
  {
    status: '404',
    response: 'NotFound',
    applies: ({ action }, hasArguments) => hasArguments || action === 'deleteMany' || action === 'updateMany',
  },
  { status: '405', response: 'MethodNotAllowed', applies: always },
  { status: '409', response: 'Conflict', applies: (route) => !isRead(route) },
  { status: '413', response: 'TooLarge', applies: ({ readsBody }) => readsBody },
  { status: '415', response: 'MediaType', applies: ({ readsBody }) => readsBody },
  {
    status: '422',
    response: 'Validation',
    applies: ({ action, input, query, readsBody }, hasArguments) =>
      hasArguments || readsBody || action === 'list' || input !== undefined || query !== undefined,
  },
  { status: '429', response: 'TooManyRequests', applies: always },
  { status: '500', response: 'InternalError', applies: always },
  { status: '503', response: 'Unavailable', applies: always },
  { status: 'default', response: 'Error', applies: always },
]

/** The shared responses of routes that declare their status. */
const NAMED: Readonly<Record<string, string>> = { 412: 'PreconditionFailed', 428: 'PreconditionRequired' }

/** Returns everything that a route can reply, by status. */
export function responsesOf(plan: OperationPlan): Operation['responses'] {
  const { path, route } = plan
  const hasArguments = pathNamesOf(path).length > 0
  const shared = RULES.filter(({ applies }) => applies(route, hasArguments)).map(({ status, response }) =>
    [status, reference(response)] as const
  )
  const declared = route.statuses.map((status) =>
    [String(status), status < 400 ? success(plan, status) : reference(failureOf(String(status)))] as const
  )
  return { ...Object.fromEntries([...declared, ...shared]), [route.status]: success(plan, route.status) }
}

function failureOf(status: string): string {
  return NAMED[status] ?? RULES.find((rule) => rule.status === status)?.response ?? 'Error'
}

const references = new Map<string, Reference>()

function reference(response: string): Reference {
  const known = references.get(response) ?? { $ref: `#/components/responses/${response}` }
  references.set(response, known)
  return known
}

/** Returns true if a reply of this status has no body (RFC 9110 §15.3.5, §15.3.6, and the redirections). */
function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status >= 300
}

function success(plan: OperationPlan, status: number): Response {
  const headers = mapValues(plan.route.responseHeaders,
    ({ description, required }) => ({ description, ...(required && { required }), schema: { type: 'string' } }))
  return {
    description: STATUS_CODES[status] ?? 'Success',
    ...(Object.keys(headers).length > 0 && { headers }),
    ...contentOf(plan, status),
  }
}

function contentOf(plan: OperationPlan, status: number): Pick<Response, 'content'> {
  const { route, models } = plan
  if (isBodiless(status) || route.method === 'HEAD') return {}
  if (route.produces !== undefined) return { content: { [route.produces]: { schema: { type: 'string' } } } }
  return { content: { 'application/json': { schema: successEnvelope({ ...route, status }, models.reply(plan)) } } }
}
