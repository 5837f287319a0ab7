import type { Response } from 'express'
import { partsFor } from './seam.js'
import { envelopeText, toEnvelope } from './send/envelope-text.js'
import type { Meta } from './types.js'

/**
 * Sends the envelope `{ code, message, data, meta }` as `application/json; charset=utf-8`.
 *
 * The app's settings `etag`, `json spaces`, `json replacer` and `json escape` are honoured; a GET or HEAD whose copy is
 * fresh is answered with 304 (RFC 9110 §13.1.2), a HEAD without a body.
 *
 * @throws TypeError when the data cannot be written as JSON; nothing has been sent then.
 * @example
 * send(res, 'Here they are', users, { total: users.length })
 */
export function send(res: Response, message: string, data: unknown = null, meta: Meta = {}, status = 200): void {
  // The text first: a value that cannot be serialised must leave the response untouched.
  const envelope = toEnvelope(message, data, meta, status)
  const text = envelopeText(res, envelope)
  partsFor(res.req).writeReply(res, envelope, text)
}
