import { Buffer } from 'node:buffer'
import type { Response } from 'express'
import { isOriginal } from '../express/originals.js'
import type { Envelope } from '../types.js'
import { entityTag } from './entity-tag.js'
import { settingsOf } from './settings.js'

/**
 * Writes a reply, an envelope and its JSON, as Express does: whatever wraps `res.json`, `res.send` or Node's own functions below them sees it.
 *
 * A GET or HEAD whose copy is fresh is answered with 304 (RFC 9110 §13.1.2), a HEAD without a body.
 *
 * @throws Error `ERR_HTTP_HEADERS_SENT` when a reply is already out; its status stays.
 */
export function writeReply(res: Response, envelope: Envelope, text: string): void {
  const status = envelope.code
  // The header before the status: when a reply is already out, this throws and the status it went out with stays.
  res.setHeader('Content-Type', JSON_TYPE)
  const tag = tagOf(res, status, text)
  if (tag !== undefined) res.setHeader('ETag', tag)
  res.statusCode = status
  if (isWrapped('res.json', res.json)) res.json(envelope)
  else if (isWrapped('res.send', res.send)) res.send(text)
  else writeText(res, text)
}

export const JSON_TYPE = 'application/json; charset=utf-8'

/** A response of plain Node's has neither function. */
function isWrapped(name: 'res.json' | 'res.send', fn: unknown): boolean {
  return fn !== undefined && !isOriginal(name, fn)
}

/** The entity tag of a reply of which a client may keep a copy, and ask later whether it still holds. */
export function tagOf(res: Response, status: number, text: string): string | undefined {
  return isReusable(res, status) && !res.hasHeader('ETag') ? entityTag(settingsOf(res), text, Buffer.byteLength(text)) : undefined
}

function isReusable({ req: { method } }: Response, status: number): boolean {
  return (method === 'GET' || method === 'HEAD') && status >= 200 && status < 300
}

/** What `res.send(text)` of Express does. */
function writeText(res: Response, text: string): void {
  if (isReusable(res, res.statusCode) && res.req.fresh) res.statusCode = 304
  res.removeHeader('Transfer-Encoding')
  if (res.statusCode === 204 || res.statusCode === 304) {
    res.removeHeader('Content-Type')
    res.removeHeader('Content-Length')
    res.end()
    return
  }
  const empty = res.statusCode === 205 // RFC 9110 §15.3.6
  res.setHeader('Content-Length', empty ? 0 : Buffer.byteLength(text))
  if (empty || res.req.method === 'HEAD') res.end()
  else res.end(text, 'utf8')
}
