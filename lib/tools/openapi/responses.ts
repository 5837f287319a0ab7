import { pathNamesOf, STATUS_PHRASES, mapValues, type HeaderFields, type MountedRoute } from '../../core/index.js'
import { FAILURE_SCHEMAS, failureName } from './failures.js'
import type { Replies } from './replies.js'
import type { OperationPlan } from './request.js'
import type { JsonSchema, Operation, Response } from './types.js'

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
  CreatedMeta: countSchema('created'),
  UpdatedMeta: countSchema('updated'),
  DeletedMeta: countSchema('deleted'),
  ...FAILURE_SCHEMAS,
} as const satisfies Record<string, JsonSchema>

function countSchema(what: string): JsonSchema {
  return {
    type: 'object',
    properties: { [what]: { type: 'integer', minimum: 0, description: `The number of records that were ${what}` } },
  }
}

/** Returns true if a route can reply with a status. */
type Rule = (route: MountedRoute, hasArguments: boolean) => boolean

const always = (): boolean => true
const isGuarded = ({ guardedBy }: MountedRoute): boolean => guardedBy.length > 0
const isRead = ({ method }: MountedRoute): boolean => method === 'GET' || method === 'HEAD'

/** The shared responses that a route can give, by status. A handler may add any 4xx: that is the `default`. */
const RULES: Readonly<Record<string, Rule>> = {
  304: isRead,
  400: (route, hasArguments) => hasArguments || route.readsBody || isGuarded(route),
  401: isGuarded,
  403: ({ permission }) => permission !== undefined,
  404: ({ action }, hasArguments) => hasArguments || action === 'deleteMany' || action === 'updateMany',
  405: always,
  409: (route) => !isRead(route),
  413: ({ readsBody }) => readsBody,
  415: ({ readsBody }) => readsBody,
  422: ({ action, input, query, readsBody }, hasArguments) =>
    hasArguments || readsBody || action === 'list' || input !== undefined || query !== undefined,
  429: always,
  500: always,
  503: always,
  default: always,
}

/** Returns everything that a route can reply, by status. */
export function responsesOf(plan: OperationPlan, replies: Replies): Operation['responses'] {
  const { path, route } = plan
  const hasArguments = pathNamesOf(path).length > 0
  const shared = Object.entries(RULES).filter(([, applies]) => applies(route, hasArguments)).map(([status]) =>
    [status, replies.failure(status === '304' ? 'NotModified' : failureName(status))] as const
  )
  const declared = route.statuses.map((status) =>
    [String(status),
      status < 400 ? success(plan, replies, status) : replies.failure(failureName(String(status)))] as const
  )
  return { ...Object.fromEntries([...declared, ...shared]), [route.status]: success(plan, replies, route.status) }
}

/** Returns true if a reply of this status has no body (RFC 9110 §15.3.5, §15.3.6, and the redirections). */
function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status >= 300
}

const LOCATION = { Location: { description: 'The path of the created record (RFC 9110 §10.2.2)' } }

function success(plan: OperationPlan, replies: Replies, status: number): Response {
  const { route } = plan
  const declared: HeaderFields = { ...(status === 201 && route.locatedBy !== false && LOCATION),
    ...route.responseHeaders }
  const headers = mapValues(declared, ({ description, required, pattern }) => ({
    description,
    ...(required && { required }),
    schema: { type: 'string', ...(pattern !== undefined && { pattern }) },
  }))
  return {
    description: STATUS_PHRASES[status] ?? 'Success',
    ...(Object.keys(headers).length > 0 && { headers }),
    ...contentOf(plan, replies, status),
  }
}

function contentOf(plan: OperationPlan, replies: Replies, status: number): Pick<Response, 'content'> {
  const { route, models } = plan
  if (isBodiless(status) || route.method === 'HEAD') return {}
  if (route.produces !== undefined) return { content: { [route.produces]: { schema: { type: 'string' } } } }
  return { content: replies.success({ ...route, status }, models.reply(plan)) }
}
