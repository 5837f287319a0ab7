import { Buffer } from 'node:buffer'
import type { Response } from 'express'
import { ServerResponse } from '../node-http.js'
import { endAtOnce } from './end-at-once.js'
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
  const bytes = Buffer.byteLength(text)
  const tag = isReusable(res, status) && !res.hasHeader('ETag') ? entityTag(settingsOf(res), text, bytes) : undefined
  if (hasBody(res, status) && isOurs(res)) sendAtOnce(res, text, status, bytes, tag)
  else sendByParts(res, text, status, bytes, tag)
}

/** Whether a client may keep a copy and ask later whether it still holds. */
function isReusable({ req: { method } }: Response, status: number): boolean {
  return (method === 'GET' || method === 'HEAD') && status >= 200 && status < 300
}

/** RFC 9110 §15.3.5, §15.3.6, §15.4.5; none has the 1xx either (§15.2). */
const BODILESS = new Set([204, 205, 304])

/** Whether it is sure that a body goes out; Express's `fresh` reads every header again, and most requests ask nothing. */
function hasBody({ req: { method, headers } }: Response, status: number): boolean {
  return method !== 'HEAD' && status >= 200 && !BODILESS.has(status) && headers['if-none-match'] === undefined && headers['if-modified-since'] === undefined
}

const own = ServerResponse.prototype

/** Whether nobody has a hand in what is written, or an eye on the headers once it is out: Node's own listener is the one of `finish`. */
function isOurs(res: Response): boolean {
  return res.writeHead === own.writeHead && res.write === own.write && res.end === own.end
    && res.listenerCount('finish') === 1 && res.listenerCount('close') === 0 && !res.headersSent && !res.hasHeader('Transfer-Encoding')
}

function sendAtOnce(res: Response, text: string, status: number, bytes: number, tag: string | undefined): void {
  const type = 'application/json; charset=utf-8'
  res.writeHead(status, tag === undefined ? { 'Content-Type': type, 'Content-Length': bytes } : { 'Content-Type': type, 'ETag': tag, 'Content-Length': bytes })
  endAtOnce(res, text, bytes)
}

/** As Express does it, for whoever wraps the response or reads its headers. */
function sendByParts(res: Response, text: string, status: number, bytes: number, tag: string | undefined): void {
  // The header before the status: when a reply is already out, this throws and the status it went out with stays.
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  if (tag !== undefined) res.setHeader('ETag', tag)
  res.statusCode = status
  if (isReusable(res, status) && res.req.fresh) res.statusCode = 304
  res.removeHeader('Transfer-Encoding')
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
