import type { Request, RequestHandler } from 'express'
import { checkBody, keepJson } from './body/fields.js'
import { closeSlowly } from './body/close-slowly.js'
import { parseJson, parseUrlencoded } from './body/parse-text.js'
import { unknownCharset } from './body/parser-error.js'
import { hasBody, isJson, isUrlencoded, isUtf8 } from './body/presence.js'
import { readText } from './body/read-text.js'
import { HttpError, MisuseError } from './errors.js'
import { messageOf } from './messages.js'

export { closeSlowly } from './body/close-slowly.js'
export { bodyFieldsOf } from './body/fields.js'
export { fromParserError } from './body/parser-error.js'

export interface BodyOptions {
  /**
   * The largest body in bytes, decompressed.
   *
   * @default 100_000
   */
  readonly limit?: number
  /**
   * Keeps the fields for the `input` of the action that follows at once, so that they are not checked twice. Code that may change
   * `req.body` must not run in between.
   *
   * @default false
   */
  readonly keep?: boolean
}

/**
 * Middleware that reads a JSON or urlencoded body into `req.body`, unless middleware in front has read it.
 *
 * It refuses with an HttpError: 400 `unreadable` for broken JSON, JSON that is neither object nor list or is nested deeper than 32, and
 * a body that is cut short; 413 `too_large`, at once, and the connection is closed after it; 415 `media_type` for another or no
 * `Content-Type`, a charset other than UTF-8 (RFC 8259 §8.1) or an unknown content encoding. NUL in a string is a ValidationError.
 *
 * @throws MisuseError `body_limit` when the limit is not a whole number of bytes.
 * @example
 * app.post('/notes', readBody({ limit: 10_000 }), (req, res) => send(res, 'Stored', notes.add(RequestParam.body(req))))
 */
export function readBody({ limit = 100_000, keep = false }: BodyOptions = {}): RequestHandler {
  if (!Number.isSafeInteger(limit) || limit < 0) {
    throw new MisuseError('body_limit', `The limit of a body must be a whole number of bytes, not ${String(limit)}.`)
  }
  return (req, res, next) => {
    if (!hasBody(req) || isRead(req)) {
      next(faultOf(() => checkBody(req, keep)))
      return
    }
    read(req, limit).then((text) => next(faultOf(() => take(req, text, keep))), (error: unknown) => {
      if (error instanceof HttpError && error.status === 413) closeSlowly(req, res)
      next(error)
    })
  }
}

/** Reads a body whose type is known to be readable. */
function read(req: Request, limit: number): Promise<string> {
  if (!isJson(req) && !isUrlencoded(req)) return Promise.reject(new HttpError(415, messageOf('media_type.json_or_form')))
  return isUtf8(req) ? readText(req, limit) : Promise.reject(unknownCharset())
}

/** Puts the body where Express puts it, and checks it before a handler reads its fields. */
function take(req: Request, text: string, keep: boolean): void {
  if (isJson(req)) {
    const body = parseJson(text)
    req.body = body
    if (keep) keepJson(req, body, text)
    else checkBody(req, false)
  } else {
    req.body = parseUrlencoded(text)
    checkBody(req, keep)
  }
}

function isRead(req: Request): boolean {
  return req.body !== undefined || req.readableDidRead || req.readableEnded
}

/** Returns what `run` throws. */
function faultOf(run: () => void): unknown {
  try {
    run()
    return undefined
  } catch (error) {
    return error
  }
}
