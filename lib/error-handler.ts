import type { ErrorRequestHandler, Request, Response } from 'express'
import { closeSlowly } from './body.js'
import { INTERNAL, toFailure, type Failure } from './failure.js'
import { send } from './send.js'
import { isThenable } from './thenable.js'
import type { Meta } from './types.js'

export interface ErrorHandlerOptions {
  /**
   * Told of every 5xx, and of any error that came too late to be answered, with the error as it was thrown.
   *
   * @default console.error
   */
  readonly log?: ((error: unknown, req: Request) => unknown) | undefined
  /** Other texts than ours: by reason, or by a function; `undefined` keeps the text. */
  readonly messages?: Readonly<Record<string, string>> | ((failure: Failure, req: Request) => string | undefined) | undefined
}

/**
 * The last middleware: whatever was thrown leaves in the envelope, or, when bytes are already out, the connection is destroyed.
 *
 * A 5xx shows nothing of its cause unless the error says `expose: true`.
 *
 * @example
 * app.use(notFound(), errorHandler({ log: (error) => logger.error(error), messages: { not_found: 'Nichts gefunden' } }))
 */
export function errorHandler({ log = logToConsole, messages }: ErrorHandlerOptions = {}): ErrorRequestHandler {
  const textOf = typeof messages === 'function' ? messages : (failure: Failure) => own(messages, failure.reason)
  return (error: unknown, req, res, _next) => {
    const failure = toFailure(error)
    if (failure.status >= 500 || res.headersSent) attempt(() => log(error, req))
    if (res.headersSent) {
      abandon(res)
      return
    }
    const message = messages === undefined ? undefined : attempt(() => textOf(failure, req))
    answer(req, res, typeof message === 'string' ? { ...failure, message } : failure)
  }
}

function logToConsole(error: unknown, req: Request): void {
  // A request that has not passed through Express has no `originalUrl`. The query may hold what a log must not.
  const [path] = ((req as Partial<Request>).originalUrl ?? req.url).split('?', 1)
  console.error(`${req.method} ${path ?? ''}`, error)
}

function own(messages: Readonly<Record<string, string>> | undefined, reason: string): string | undefined {
  return messages !== undefined && Object.hasOwn(messages, reason) ? messages[reason] : undefined
}

/** Runs a function of the user's whose failure must not become ours, now or later. */
function attempt(run: () => unknown): unknown {
  try {
    const result = run()
    if (isThenable(result)) result.then(undefined, () => undefined)
    return result
  } catch {
    return undefined
  }
}

/** What described the reply that will not be sent now. */
const ENTITY_HEADERS = new Set([
  'content-disposition', 'content-encoding', 'content-language', 'content-length', 'content-range', 'transfer-encoding', 'trailer',
  'etag', 'last-modified', 'cache-control', 'expires', 'accept-ranges',
])

function answer(req: Request, res: Response, failure: Failure): void {
  try {
    for (const name of res.getHeaderNames()) if (ENTITY_HEADERS.has(name)) res.removeHeader(name)
    for (const [name, value] of Object.entries(failure.headers)) res.setHeader(name, value)
    if (failure.status === 413) refuseRest(req, res)
    send(res, failure.message, failure.fields, metaOf(req, failure), failure.status)
  } catch {
    answerPlainly(res)
  }
}

/** The rest of an oversize body is not worth reading. */
function refuseRest(req: Request, res: Response): void {
  res.setHeader('Connection', 'close')
  closeSlowly(req, res)
}

function metaOf(req: Request, { reason }: Failure): Meta {
  const id = attempt(() => (req as { id?: unknown }).id)
  return typeof id === 'string' || typeof id === 'number' ? { reason, requestId: id } : { reason }
}

const PLAIN = JSON.stringify({ code: INTERNAL.status, message: INTERNAL.message, data: null, meta: { reason: INTERNAL.reason } })

/** Even a `json replacer` that throws does not keep the caller waiting. */
function answerPlainly(res: Response): void {
  try {
    res.setHeader('Content-Type', 'application/json; charset=utf-8')
    res.setHeader('Content-Length', Buffer.byteLength(PLAIN))
    res.statusCode = INTERNAL.status
    res.end(PLAIN)
  } catch {
    abandon(res)
  }
}

/** A reply cut short must not look complete; one that is complete is left alone. */
function abandon(res: Response): void {
  if (!res.writableEnded) res.destroy()
}
