import express, { type Request, type RequestHandler } from 'express'
import { HttpError, MisuseError } from './errors.js'
import { keepBody, plainBodyOf } from './body/fields.js'
import { fromParserError, invalid } from './body/parser-error.js'
import { hasBody, isJson, isUrlencoded } from './body/presence.js'
import { isPlainJson, parseJson, readText } from './body/read-json.js'

export { bodyFieldsOf } from './body/fields.js'
export { fromParserError } from './body/parser-error.js'

export interface BodyOptions {
  /**
   * The largest body in bytes, once it is decompressed.
   *
   * @default 100_000
   */
  readonly limit?: number
}

/**
 * Middleware that reads a JSON or urlencoded body into `req.body`, unless something in front has read it.
 *
 * What it cannot read is an HttpError: 400 `unreadable` for broken JSON, JSON that is neither object nor list or is nested
 * deeper than 32, and a body cut short; 413 `too_large`; 415 `media_type` for another or no `Content-Type`, another charset or
 * content encoding. NUL in a text is a ValidationError.
 *
 * @throws MisuseError `body_limit` when the limit is no whole number of bytes.
 * @example
 * app.post('/notes', readBody({ limit: 10_000 }), (req, res) => send(res, 'Stored', notes.add(RequestParam.body(req))))
 */
export function readBody({ limit = 100_000 }: BodyOptions = {}): RequestHandler {
  if (!Number.isSafeInteger(limit) || limit < 0) {
    throw new MisuseError('body_limit', `The limit of a body is a whole number of bytes, not ${String(limit)}.`)
  }
  const json: RequestHandler = express.json({ limit, type: () => true })
  const urlencoded: RequestHandler = express.urlencoded({ limit, type: () => true, extended: false })
  return (req, res, next) => {
    const settle = (error?: unknown): void => next(error === undefined ? faultOf(req) : toReadError(error))
    if (!hasBody(req) || isRead(req)) settle()
    else if (isPlainJson(req, limit)) readText(req).then((text) => next(takeJson(req, text)), next)
    else if (isJson(req)) json(req, res, settle)
    else if (isUrlencoded(req)) urlencoded(req, res, settle)
    else next(new HttpError(415, 'The body must be JSON or urlencoded', { reason: 'media_type' }))
  }
}

/** Leaves a body where Express leaves it; what is wrong with it is the answer. */
function takeJson(req: Request, text: string): unknown {
  try {
    const body = parseJson(text)
    req.body = body
    keepBody(req, body, text)
    return undefined
  } catch (error) {
    return error
  }
}

function isRead(req: Request): boolean {
  return req.body !== undefined || req.readableDidRead || req.readableEnded
}

/** What is wrong with a body that has been read: found now, before anything looks at its fields. */
function faultOf(req: Request): unknown {
  // A text is what a parser of the user's has made of the body, for whatever purpose.
  if (typeof req.body !== 'object') return undefined
  try {
    plainBodyOf(req)
    return undefined
  } catch (error) {
    return error
  }
}

/** Any refusal of a parser's is the caller's fault, and its text is never ours. */
function toReadError(error: unknown): unknown {
  const known = fromParserError(error)
  if (known !== undefined) return known
  const refused = error instanceof Error && (error as { status?: unknown }).status === 400
  return refused ? invalid(error) : error
}
