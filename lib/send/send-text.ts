import type { Response } from 'express'
import { entityTag } from './entity-tag.js'
import { settingsOf } from './settings.js'

/**
 * Sends a text of JSON in one go: head and body in one piece for the connection.
 *
 * A GET or HEAD whose copy is fresh is answered with 304 (RFC 9110 §13.1.2), a HEAD without a body.
 *
 * @throws Error `ERR_HTTP_HEADERS_SENT` when a reply is already out; its status stays.
 */
export function sendText(res: Response, text: string, status: number): void {
  // The header before the status: when a reply is already out, this throws and the status it went out with stays.
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.statusCode = status
  const bytes = Buffer.byteLength(text)
  if (isReusable(res)) {
    tagEntity(res, text, bytes)
    if (isConditional(res) && res.req.fresh) res.statusCode = 304
  }
  if (res.hasHeader('Transfer-Encoding')) res.removeHeader('Transfer-Encoding')
  if (res.statusCode === 204 || res.statusCode === 304) {
    res.removeHeader('Content-Type')
    res.removeHeader('Content-Length')
    res.end()
    return
  }
  const empty = res.statusCode === 205 // RFC 9110 §15.3.6
  res.setHeader('Content-Length', empty ? 0 : bytes)
  if (empty || res.req.method === 'HEAD') res.end()
  else res.end(text, 'utf8')
}

/** Whether a client may keep a copy and ask later whether it still holds. */
function isReusable({ req, statusCode }: Response): boolean {
  return (req.method === 'GET' || req.method === 'HEAD') && statusCode >= 200 && statusCode < 300
}

function tagEntity(res: Response, text: string, bytes: number): void {
  if (res.hasHeader('ETag')) return
  const tag = entityTag(settingsOf(res), text, bytes)
  if (tag !== undefined) res.setHeader('ETag', tag)
}

/** Express's `fresh` reads every header again; most requests ask nothing. */
function isConditional({ req: { headers } }: Response): boolean {
  return headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined
}
