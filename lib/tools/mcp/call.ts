import type { Application, Request } from 'express'
import { toRequest } from '../../client/request.js'
import { declaredRoute, handles, isFast, isObject, isOpaque, markInner, mayAnswer, mountedAt, ReplyTooLarge, request,
  rootOf, stackOf, STATUS_PHRASES, walk, withoutGroups, type Envelope, type InnerRequest, type InProcessReply,
  type InProcessRequest, type MatchedLayer, type MountedRoute } from '../../core/index.js'
import type { Params } from './messages.js'
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

/** Middleware, a Router or an app in front of a route. */
export type Passed = MatchedLayer['layer']

/** Calls a tool through the app, as the caller, and returns the body of the reply, of at most `limit` bytes. */
export async function callTool(caller: Caller, tool: Tool, args: Params, limit: number): Promise<ToolResult> {
  const { route: { path, route }, query, headers } = tool
  const { signal } = caller
  const { rest, own } = headerArguments(args, headers)
  try {
    const manifest = {
      name: tool.description.name,
      method: route.method,
      path: withoutGroups(path) + (query.length === 0 ? '' : `?${query.join(',')}`),
    }
    const [target, { method, headers: sent, body }] = toRequest(manifest, rest, { headers: own })
    const passed: Passed[] = []
    const reached = routeAt(caller, tool, target, passed)
    if (reached === undefined) return failure('These arguments do not reach this tool: another route has their path.')
    const [usual] = toRequest(manifest, samplesOf(rest), {})
    if (isAnsweredBefore(caller, tool, usual, passed)) {
      return failure('These arguments do not reach this tool: a function is mounted at their path.')
    }
    const inner = { route: reached, accessOnly: false }
    const text = typeof body === 'string' ? body : null
    const reply = await send(caller, { method, path: target, headers: sent, body: text, limit, inner })
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
  const entries = Object.entries(args)
  const isHeader = ([name]: [string, unknown]): boolean => names.has(name)
  const sent = entries.filter(isHeader).filter(([, value]) => value !== undefined && value !== null)
  const own = sent.map(([name, value]) => [names.get(name) ?? name, String(value)] as const)
  return { rest: Object.fromEntries(entries.filter((entry) => !isHeader(entry))), own: Object.fromEntries(own) }
}

function toResult({ message, body }: InProcessReply, isStructured: boolean): ToolResult {
  const { statusCode = 500, headers: { etag } } = message
  const text = body.toString()
  if (statusCode >= 300) return { content: textContent(text), isError: true }
  if (!isStructured) return { content: textContent(text) }
  const data = parse(text)
  if (!isEnvelope(data, statusCode)) return structured(inEnvelope(statusCode, data))
  // A weak tag is Express's own, which no `If-Match` accepts (RFC 9110 §13.1.1).
  if (!etag?.startsWith('"')) return { content: textContent(text), structuredContent: data }
  return structured({ ...data, etag })
}

function textContent(text: string): ToolResult['content'] {
  return [{ type: 'text', text }]
}

function structured(structuredContent: object): ToolResult {
  return { content: textContent(JSON.stringify(structuredContent)), structuredContent }
}

/** Returns the value of a body, `null` of an empty one; a body that is not JSON is a string. */
function parse(text: string): unknown {
  try {
    return text === '' ? null : JSON.parse(text)
  } catch {
    return text
  }
}

function isEnvelope(data: unknown, status: number): data is Params {
  return isObject(data) && data.code === status && typeof data.message === 'string' && 'data' in data
    && isObject(data.meta)
}

/** Returns the envelope of a body that a handler sent itself: clients refuse a result that does not fit its schema. */
function inEnvelope(code: number, data: unknown): Envelope {
  return { code, message: STATUS_PHRASES[code] ?? 'Success', data, meta: {} }
}

export function failure(text: string): ToolResult {
  return { content: textContent(text), isError: true }
}

/**
 * Returns the route of a tool if a request for `target` reaches it first, `undefined` if another handler may reply. The
 * middleware in front of it is added to `passed`.
 */
export function routeAt(
  { app }: Caller,
  { route: { route } }: Tool,
  target: string,
  passed: Passed[] = [],
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

/** A segment in place of a path argument; no route has it. */
const SAMPLE = '~sample~'

/** Returns arguments with the same numbers of segments, and no value that a function is mounted for. */
function samplesOf(args: Params): Params {
  return Object.fromEntries(Object.entries(args).map(([name, value]) => {
    return [name, Array.isArray(value) ? value.map(() => SAMPLE) : SAMPLE]
  }))
}

/**
 * Returns true if one of the functions that a request passes is mounted for its path arguments, so that it may reply in
 * place of the tool: a request for `usual` arguments does not pass it.
 */
function isAnsweredBefore(caller: Caller, tool: Tool, usual: string, passed: readonly Passed[]): boolean {
  const functions = passed.filter((layer) => mayAnswer({ layer }))
  if (functions.length === 0) return false
  const usuallyPassed: Passed[] = []
  routeAt(caller, tool, usual, usuallyPassed)
  return !functions.every((layer) => usuallyPassed.includes(layer))
}

interface Inner extends Pick<InProcessRequest, 'method' | 'path' | 'headers' | 'limit'> {
  readonly body: string | null
  readonly inner: InnerRequest
}

export function send(
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
    fast: isFast(req),
    arrived: (received) => markInner(received, inner),
  })
}
