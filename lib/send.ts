import type { Response } from 'express'
import { envelopeText } from './send/envelope-text.js'
import { sendText } from './send/send-text.js'
import type { Meta } from './types.js'

export { envelopeText } from './send/envelope-text.js'
export { sendText } from './send/send-text.js'

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
  sendText(res, envelopeText(res, message, data, meta, status), status)
}
