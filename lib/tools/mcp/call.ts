import type { OutgoingHttpHeaders } from 'node:http'
import type { Application, Request } from 'express'
import { toRequest } from '../../client/request.js'
import { declaredRoute, handles, isOpaque, markInner, mountedAt, ReplyTooLarge, request, rootOf, samplePathOf, stackOf,
  walk, type InnerRequest, type InProcessReply, type MountedRoute } from '../../core/index.js'
import { resourceOf } from '../openapi/models.js'
import { isObject, type Params } from './messages.js'
import type { Tool } from './tools.js'

/** The result of a tool: the body of the reply as text, and of a success as data. */
export interface ToolResult {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[]
  readonly structuredContent?: object
  readonly isError?: true
}

/** The headers that make an inner request the caller's: who calls, from where, and in which language. */
const FORWARDED = [
  'accept-language',
  'authorization',
  'cookie',
  'forwarded',
  'host',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
]

/** A request of an agent, on whose behalf tools are called. */
export interface Caller {
  readonly app: Application
  readonly req: Request
  /** Aborts inner requests when the agent is gone. */
  readonly signal: AbortSignal
}

/** Calls a tool through the app, as the caller, and returns the body of the reply, of at most `limit` bytes. */
export async function callTool(caller: Caller, tool: Tool, args: Params, limit: number): Promise<ToolResult> {
  const { route: { path, route }, query, headers } = tool
  const { signal } = caller
  const { rest, own } = headerArguments(args, headers)
  try {
    const manifest = {
      name: tool.description.name,
      method: route.method,
      path: query.length === 0 ? path : `${path}?${query.join(',')}`,
    }
    const [target, { method, headers: sent, body }] = toRequest(manifest, rest, { headers: own })
    const reached = routeAt(caller, tool, target)
    if (reached === undefined) return failure('These arguments do not reach this tool: another route has their path.')
    const inner = { route: reached, accessOnly: false }
    const reply = await send(caller, { method, path: target, headers: sent, body: body as string | null, limit, inner })
    return toResult(reply, tool.description.outputSchema !== undefined)
  } catch (error) {
    if (error instanceof ReplyTooLarge) {
      return failure(`The reply has more than ${limit} bytes. Ask for less: fewer records at once, or a filter.`)
    }
    if (error instanceof TypeError || error instanceof URIError) {
      return failure(`The arguments are not valid: ${error.message}.`)
    }
    if (signal.aborted) throw error
    return failure('The reply broke off.')
  }
}

/** Returns the arguments that are headers apart from all others. */
function headerArguments(
  args: Params,
  names: Tool['headers'],
): { readonly rest: Params; readonly own: Record<string, string> } {
  const isHeader = (name: string): boolean => names.has(name)
  const entries = Object.entries(args)
  const own = entries.filter(([name, value]) => isHeader(name) && value !== undefined && value !== null).map((
    [name, value],
  ) => [names.get(name) ?? name, String(value)])
  return {
    rest: Object.fromEntries(entries.filter(([name]) => !isHeader(name))),
    own: Object.fromEntries(own) as Record<string, string>,
  }
}

function toResult({ message, body }: InProcessReply, isStructured: boolean): ToolResult {
  const { statusCode = 500, headers: { etag } } = message
  const content = [{ type: 'text' as const, text: body.toString() }]
  if (statusCode >= 300) return { content, isError: true }
  if (!isStructured) return { content }
  const data = parse(body)
  if (!isObject(data)) return { content, isError: true }
  // A weak tag is Express's own, which no `If-Match` accepts (RFC 9110 §13.1.1).
  if (!etag?.startsWith('"')) return { content, structuredContent: data }
  const structuredContent = { ...data, etag }
  return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

export function failure(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: true }
}

/** A segment in place of a path argument if only access is checked; no route has it. */
const SAMPLE = '~sample~'

/** Statuses of middleware in front of the guards that found nothing for the sample: then the call decides. */
const UNDECIDED = [400, 404, 422]

/**
 * Returns the tools that the caller may use. The guards decide, on requests that end before anything of a route runs;
 * a tool that another handler would reply for is not offered.
 *
 * One request decides for all tools of a resource behind the same middleware. If it is refused, the next one of them is
 * asked.
 */
export async function allowedTools(caller: Caller, tools: readonly Tool[]): Promise<ReadonlySet<Tool>> {
  const groups = new Map<string, Sample[]>()
  const numbers = new Map<object, number>()
  const numberOf = (layer: object): number => {
    if (!numbers.has(layer)) numbers.set(layer, numbers.size)
    return numbers.get(layer) ?? 0
  }
  for (const tool of tools) {
    const sample = sampleOf(caller, tool)
    if (sample === undefined) continue
    const { auth, guardedBy } = sample.route
    // A public route is asked for itself.
    const apart = auth === true ? '' : tool.description.name
    const key = JSON.stringify([resourceOf(tool.route), guardedBy, apart, sample.passed.map(numberOf)])
    groups.set(key, [...groups.get(key) ?? [], sample])
  }
  return new Set((await Promise.all([...groups.values()].map((group) => allowedIn(caller, group)))).flat())
}

/** Returns the tools of a group that the caller may use, those that read asked first: most callers may read. */
async function allowedIn(caller: Caller, group: readonly Sample[]): Promise<readonly Tool[]> {
  const [reads, writes] = [true, false].map((isRead) =>
    group.filter(({ route }) => (route.method === 'GET') === isRead)
  )
  const allowed: Tool[] = []
  let left = [...reads ?? [], ...writes ?? []]
  for (let [first, ...rest] = left; first !== undefined; [first, ...rest] = left) {
    const others = { asked: rest.map(({ route }) => route), granted: new Set<MountedRoute>() }
    const status = await accessTo(caller, first, others)
    // The credentials are refused, whatever the tool.
    if (status === 401) break
    const isGranted = status === 204
    if (isGranted || UNDECIDED.includes(status)) allowed.push(first.tool)
    if (isGranted) allowed.push(...rest.filter(({ route }) => others.granted.has(route)).map(({ tool }) => tool))
    left = isGranted ? [] : rest
  }
  return allowed
}

/** A path for a tool, and what a request for it reaches. */
interface Sample {
  readonly tool: Tool
  readonly target: string
  readonly route: MountedRoute
  /** The middleware in front of the route. */
  readonly passed: readonly object[]
}

/** Returns a path for a tool, `undefined` if another handler may reply to a request for it. */
function sampleOf(caller: Caller, tool: Tool): Sample | undefined {
  const target = samplePathOf(tool.route.path, SAMPLE)
  const passed: object[] = []
  const route = routeAt(caller, tool, target, passed)
  return route && { tool, target, route, passed }
}

/** Returns the status with which the guards end a request for a tool. */
async function accessTo(
  caller: Caller,
  { target, route }: Sample,
  others?: InnerRequest['others'],
): Promise<number> {
  const inner = { route, accessOnly: true, ...(others && { others }) }
  const { message } = await send(caller, { method: route.method, path: target, headers: {}, body: null, inner })
  return message.statusCode ?? 500
}

/**
 * Returns true if no tool is public and the guards of every application refuse the caller's credentials. One tool of
 * each set of guards is asked.
 */
export async function isStranger(caller: Caller, tools: readonly Tool[]): Promise<boolean> {
  const isPublic = ({ route: { route: { auth, guardedBy } } }: Tool): boolean => auth !== true || guardedBy.length === 0
  if (tools.length === 0 || tools.some(isPublic)) return false
  const apart = new Map(tools.map((tool) => [tool.route.route.guardedBy.join(), tool]))
  for (const tool of apart.values()) {
    const sample = sampleOf(caller, tool)
    if (sample === undefined || await accessTo(caller, sample) !== 401) return false
  }
  return true
}

/**
 * Returns the route of a tool if a request for `target` reaches it first, `undefined` if another handler may reply. The
 * middleware in front of it is added to `passed`.
 */
function routeAt(
  { app }: Caller,
  { route: { route } }: Tool,
  target: string,
  passed: object[] = [],
): MountedRoute | undefined {
  let first: MountedRoute | undefined
  walk(stackOf(rootOf(app)), target.replace(/\?.*$/s, ''), {
    middleware({ layer }) {
      passed.push(layer)
      return isOpaque(layer)
    },
    route(met) {
      if (!handles(met, route.method)) return false
      first = mountedAt(met, route.method)
      return true
    },
  })
  return first === declaredRoute(route) ? first : undefined
}

interface Inner {
  readonly method: string
  readonly path: string
  readonly headers: OutgoingHttpHeaders
  readonly body: string | null
  readonly limit?: number
  readonly inner: InnerRequest
}

function send(
  { app, req, signal }: Caller,
  { method, path, headers, body, limit, inner }: Inner,
): Promise<InProcessReply> {
  const forwarded = FORWARDED.flatMap((name): [string, string[]][] => {
    const values = req.headersDistinct[name]
    return values === undefined ? [] : [[name, values]]
  })
  return request(rootOf(app), {
    method,
    path,
    headers: { ...headers, ...Object.fromEntries(forwarded) },
    body: body ?? undefined,
    address: req.socket.remoteAddress ?? '',
    encrypted: Reflect.get(req.socket, 'encrypted') === true,
    limit,
    // Each request has a signal of its own: many listeners on one would look like a leak.
    signal: AbortSignal.any([signal]),
    arrived: (received) => markInner(received, inner),
  })
}
