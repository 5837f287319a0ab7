import { request as send, signIn, stateOf, type SignedIn } from '../../../core/index.js'
import type { IncomingMessage } from 'node:http'
import type { Application } from 'express'
import { encodeForm, parseReply, type EncodedBody } from '../inject.js'
import type { CrashWatch, Trace } from './crashes.js'
import { watchSecondReply } from './replies-twice.js'
import type { CallersByName, CheckBody, CheckRequest, Observed } from './model.js'

/** Sends requests to one app. */
export interface Sender {
  readonly app: Application
  readonly callers: CallersByName
  readonly crashes: CrashWatch
  /** The longest time until the end of a reply, in milliseconds. */
  readonly limit: number
  /** Called for each request. */
  readonly count: () => void
}

/** Milliseconds in which a stream of events is read. */
const EVENTS = 50

/** Sends one request as its caller and observes the reply, the process and the time. */
export async function observe(sender: Sender, request: CheckRequest): Promise<Observed> {
  sender.count()
  const trace = sender.crashes.begin(request)
  const controller = new AbortController()
  const wake = (): void => controller.abort()
  trace.wake = wake
  const started = performance.now()
  const timer = setTimeout(wake, sender.limit)
  let received: IncomingMessage | undefined
  const { body, type } = await encodeBody(request.body)
  const outcome = await send(sender.app, {
    method: request.method,
    path: targetOf(request),
    headers: { host: 'localhost', ...type, ...request.headers },
    body,
    signal: controller.signal,
    // Events may go on for ever: the headers are the reply.
    patience: ({ headers }) => headers['content-type']?.startsWith('text/event-stream') ? EVENTS : undefined,
    address: '127.0.0.1',
    arrived: (req, res) => {
      received = req
      sender.crashes.enter(trace)
      watchSecondReply(res, () => sender.crashes.noteTwice(trace))
      const caller = signedInAs(sender.callers, request.caller)
      if (caller !== undefined) signIn(req, caller)
    },
  }).catch(() => undefined)
  const milliseconds = performance.now() - started
  clearTimeout(timer)
  // Rejections that nobody handles are reported before the next turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve))
  const reached = received === undefined ? undefined : stateOf(received).route
  return { ...judged(trace), reached, milliseconds, ...replyOf(outcome, controller.signal.aborted, trace) }
}

/** Returns the events besides the reply; those from now on are late. */
function judged(trace: Trace): Pick<Observed, 'crash' | 'isTwice' | 'polluted'> {
  trace.isJudged = true
  const { isTwice } = trace
  return { isTwice, polluted: takePollution(), ...('crash' in trace && { crash: trace.crash }) }
}

/** Returns the name of a property that all objects have, and removes it. */
function takePollution(): string | undefined {
  for (const name in {}) {
    Reflect.deleteProperty(Object.prototype, name)
    return name
  }
  return undefined
}

function replyOf(
  outcome: Awaited<ReturnType<typeof send>> | undefined,
  isAborted: boolean,
  trace: Trace,
): Pick<Observed, 'status' | 'headers' | 'text' | 'json' | 'failed'> {
  if (outcome === undefined) {
    const failed = isAborted && !('crash' in trace) ? 'time' : 'cut'
    return { status: 0, headers: {}, text: '', json: undefined, failed }
  }
  const { message, body } = outcome
  const text = body.toString()
  const { statusCode: status = 0, headersDistinct: headers } = message
  return { status, headers, text, json: parseReply(message.headers['content-type'], text) }
}

/** Returns the path with its query, as it is sent. */
export function targetOf({ path, query }: Pick<CheckRequest, 'path' | 'query'>): string {
  const pairs = query.map(([name, value]) => `${encode(name)}=${encode(value)}`)
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
}

/** Encodes a string for a path or a query; half of a surrogate pair has no encoding. */
export function encode(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))
}

function signedInAs(callers: CallersByName, name: string): SignedIn | undefined {
  const caller = callers.get(name)
  if (caller === undefined || caller === null) return undefined
  const { app, ...auth } = caller
  return { app, auth, met: new Set(), everywhere: true }
}

async function encodeBody(body: CheckBody | undefined): Promise<EncodedBody> {
  if (body === undefined) return { body: undefined, type: {} }
  if ('text' in body) return { body: body.text, type: body.type === undefined ? {} : { 'content-type': body.type } }
  if ('json' in body) return { body: JSON.stringify(body.json), type: { 'content-type': 'application/json' } }
  const form = new FormData()
  for (const { name, value, file } of body.form) {
    if (file === undefined) form.append(name, value)
    else form.append(name, new Blob([Buffer.from(value, 'latin1')], { type: file.type }), file.name)
  }
  return encodeForm(form)
}
