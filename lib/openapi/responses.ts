import { STATUS_CODES } from '../node-http.js'
import { pathNamesOf } from '../routing/path.js'
import type { MountedRoute } from '../routing/registry.js'
import { successEnvelope } from './envelope.js'
import { mapValues } from './json-schema.js'
import type { OperationPlan } from './parameters.js'
import type { Operation, Reference, Response } from './types.js'

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

/** The shared responses of routes that declare their status. */
const NAMED: Readonly<Record<string, string>> = { 412: 'PreconditionFailed', 428: 'PreconditionRequired' }

/** Returns everything that a route can reply, by status. */
export function responsesOf(plan: OperationPlan): Operation['responses'] {
  const { path, route } = plan
  const hasArguments = pathNamesOf(path).length > 0
  const shared = RULES.filter(({ applies }) => applies(route, hasArguments)).map(({ status, response }) => [status, reference(response)] as const)
  const declared = route.statuses.map((status) =>
    [String(status), status < 400 ? success(plan, status) : reference(failureOf(String(status)))] as const)
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
  const headers = mapValues(plan.route.responseHeaders, ({ description, required }) =>
    ({ description, ...(required && { required }), schema: { type: 'string' } }))
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
