import type { Socket } from 'node:net'
import type { Request, RequestHandler, Response } from 'express'
import { hasBody, isJson, isUrlencoded, isUtf8 } from './content.js'
import { unknownCharset } from './errors.js'
import { checkBody, keepJson } from './fields.js'
import { parseText } from './parse.js'
import { readText } from './read-text.js'
import { parseReceived } from './received.js'
import { HttpError, MisuseError } from '../base/errors.js'
import { messageOf } from '../base/messages/messages.js'

export interface BodyOptions {
  /** The largest body in bytes, decompressed. @default 100_000 */
  readonly limit?: number
  /**
   * Keeps the checked fields for the `input` of the action that follows at once, so that they are not checked twice. No
   * code that may change `req.body` may run in between.
   *
   * @default false
   */
  readonly keep?: boolean
}

/**
 * Returns middleware that reads a JSON or urlencoded body into `req.body`, unless middleware in front has read it.
 * Bytes or a string that a platform has put there, such as AWS Lambda, are parsed.
 *
 * It refuses with an HttpError: 400 `unreadable` for invalid JSON, for JSON that is neither object nor list or is
 * nested deeper than 32, and for a body that is cut short; 413 `too_large`, at once, and then closes the connection;
 * 415 `media_type` for another or no `Content-Type`, a charset other than UTF-8 (RFC 8259 §8.1) or an unknown content
 * encoding. NUL in a string is a ValidationError.
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
      next(errorOf(() => {
        parseReceived(req, limit)
        checkBody(req, keep)
      }))
      return
    }
    read(req, limit).then((text) => next(errorOf(() => parse(req, text, keep))), (error: unknown) => {
      if (error instanceof HttpError && error.status === 413) closeSlowly(req, res)
      next(error)
    })
  }
}

/** Reads a body of a supported type. */
function read(req: Request, limit: number): Promise<string> {
  if (!isJson(req) && !isUrlencoded(req)) {
    return Promise.reject(new HttpError(415, messageOf('media_type.json_or_form')))
  }
  return isUtf8(req) ? readText(req, limit) : Promise.reject(unknownCharset())
}

/** Sets `req.body` as Express's parsers do, and checks it before a handler reads its fields. */
function parse(req: Request, text: string, keep: boolean): void {
  const body = parseText(req, text)
  req.body = body
  if (keep && isJson(req)) keepJson(req, body, text)
  else checkBody(req, keep)
}

function isRead(req: Request): boolean {
  if (req.readableDidRead || req.readableEnded) return true
  try {
    return req.body !== undefined
  } catch {
    // A getter that cannot parse the body.
    return true
  }
}

/** Returns the error that `run` throws. */
function errorOf(run: () => void): unknown {
  try {
    run()
    return undefined
  } catch (error) {
    return error
  }
}

/** Milliseconds for which the server reads and discards data that arrives after the reply. */
const LINGER = 2000

/**
 * Lets a client that is still sending receive the reply, and closes the connection after it.
 *
 * Closing a connection with unread data resets it, and the reset may discard the reply. So the server closes its own
 * half, reads and discards what arrives for a while, and then closes the connection (RFC 9112 §9.6).
 */
export function closeSlowly(req: Request, res: Response): void {
  if (req.complete) return
  if (res.headersSent) {
    req.resume()
    return
  }
  const { socket } = req
  res.setHeader('Connection', 'close')
  res.once('finish', () => req.resume())
  // Node.js calls this after the last reply of a connection.
  socket.destroySoon = linger.bind(undefined, socket)
}

function linger(socket: Socket): void {
  socket.end()
  // Without its listener no parser reads the data: a request in it would be carried out without a reply.
  socket.removeAllListeners('data').on('data', () => undefined)
  const timer = setTimeout(() => socket.destroy(), LINGER)
  socket.once('close', () => clearTimeout(timer))
}
