import { STATUS_CODES } from '../node-http.js'
import type { MountedRoute } from '../routing/registry.js'
import { successEnvelope } from './envelope.js'
import { mapValues } from './map-values.js'
import type { Schemas } from './schemas.js'
import type { Operation, Reference, Response } from './types.js'

interface Rule {
  readonly status: string
  /** The name of the shared response. */
  readonly response: string
  /** Whether the route can answer so. */
  readonly applies: (route: MountedRoute, hasArguments: boolean) => boolean
}

const always = (): boolean => true
const isGuarded = ({ guardedBy }: MountedRoute): boolean => guardedBy.length > 0
const isRead = ({ method }: MountedRoute): boolean => method === 'GET' || method === 'HEAD'

/** Which shared answers a route can give. A rule of its handler's may add any 4xx: that is the `default`. */
const RULES: readonly Rule[] = [
  { status: '304', response: 'NotModified', applies: isRead },
  { status: '400', response: 'BadRequest', applies: (route, hasArguments) => hasArguments || route.readsBody || isGuarded(route) },
  { status: '401', response: 'Unauthorized', applies: isGuarded },
  { status: '403', response: 'Forbidden', applies: ({ permission }) => permission !== undefined },
  { status: '404', response: 'NotFound', applies: ({ action }, hasArguments) => hasArguments || action === 'deleteMany' || action === 'updateMany' },
  { status: '405', response: 'MethodNotAllowed', applies: always },
  { status: '409', response: 'Conflict', applies: (route) => !isRead(route) },
  { status: '413', response: 'TooLarge', applies: ({ readsBody }) => readsBody },
  { status: '415', response: 'MediaType', applies: ({ readsBody }) => readsBody },
  {
    status: '422', response: 'Validation',
    applies: ({ action, input, query, readsBody }, hasArguments) =>
      hasArguments || readsBody || action === 'list' || input !== undefined || query !== undefined,
  },
  { status: '429', response: 'TooManyRequests', applies: always },
  { status: '500', response: 'InternalError', applies: always },
  { status: '503', response: 'Unavailable', applies: always },
  { status: 'default', response: 'Error', applies: always },
]

/** Answers that are nobody's unless an action names their status. */
const NAMED: Readonly<Record<string, string>> = { 412: 'PreconditionFailed', 428: 'PreconditionRequired' }

/** Everything a route can answer, by status; `hasArguments` where its path has parameters. */
export function responsesOf(route: MountedRoute, hasArguments: boolean, schemas: Schemas): Operation['responses'] {
  const shared = RULES.filter(({ applies }) => applies(route, hasArguments)).map(({ status, response }) => [status, reference(response)] as const)
  const named = route.statuses.map((status) => [String(status), status < 400 ? success({ ...route, status }, schemas) : reference(failureOf(String(status)))] as const)
  return { ...Object.fromEntries([...named, ...shared]), [route.status]: success(route, schemas) }
}

function failureOf(status: string): string {
  return NAMED[status] ?? RULES.find((rule) => rule.status === status)?.response ?? 'Error'
}

function reference(response: string): Reference {
  return { $ref: `#/components/responses/${response}` }
}

/** Whether a reply of this status has no body (RFC 9110 §15.3.5, §15.3.6, and the redirections). */
function isBodiless(status: number): boolean {
  return status === 204 || status === 205 || status >= 300
}

function success(route: MountedRoute, schemas: Schemas): Response {
  const { status, responseHeaders } = route
  const headers = mapValues(responseHeaders, ({ description, required }) => ({ description, ...(required && { required }), schema: { type: 'string' } }))
  return {
    description: STATUS_CODES[status] ?? 'Success',
    ...(Object.keys(headers).length > 0 && { headers }),
    ...contentOf(route, schemas),
  }
}

function contentOf(route: MountedRoute, schemas: Schemas): Pick<Response, 'content'> {
  const { status, method, produces } = route
  if (isBodiless(status) || method === 'HEAD') return {}
  if (produces !== undefined) return { content: { [produces]: { schema: { type: 'string' } } } }
  return { content: { 'application/json': { schema: successEnvelope(route, schemas) } } }
}
