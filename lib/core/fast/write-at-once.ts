import { Buffer } from 'node:buffer'
import type { Response } from 'express'
import { isOriginal } from '../express/originals.js'
import { endInOneWrite, headersWereRemoved, outHeaders, sendsBody, WRITING_FUNCTIONS } from '../base/node-http.js'
import type { Envelope } from '../base/types.js'
import { hasDefaultTags, mediaTypeOf, settingsOf, tagOf, writeReply, type Encoded } from '../express/write-reply.js'

/** Writes a reply in one write where no code can observe the difference, and as Express does otherwise. */
export function writeAtOnce(res: Response, envelope: Envelope, text: string, encoded?: Encoded): void {
  const { code } = envelope
  const headers = hasBody(res, code) && isOrdinary(res) ? outHeaders(res) : undefined
  if (headers === undefined || headers['transfer-encoding'] !== undefined) {
    writeReply(res, envelope, text, encoded)
    return
  }
  if (headers['x-powered-by'] === undefined && settingsOf(res)['x-powered-by']) headersWereRemoved()
  const bytes = Buffer.byteLength(text)
  const tag = headers.etag === undefined ? tagOf(res, code, text, bytes) : undefined
  headers['content-type'] = ['Content-Type', mediaTypeOf(encoded)]
  if (tag !== undefined) {
    // Node.js checks a tag that a function of the application has made.
    if (hasDefaultTags(res)) headers.etag = ['ETag', tag]
    else res.setHeader('ETag', tag)
  }
  headers['content-length'] = ['Content-Length', bytes]
  res.writeHead(code)
  endInOneWrite(res, text, bytes)
}

/**
 * Sets the header `Location` to a path of printable characters, without the checks of Node.js where no code can
 * observe the difference.
 */
export function setLocation(res: Response, path: string): void {
  const headers = outHeaders(res)
  if (headers === undefined) res.setHeader('Location', path)
  else headers.location = ['Location', path]
}

/** Statuses without a body (RFC 9110 §15.3.5, §15.3.6, §15.4.5), in addition to 1xx (§15.2). */
const BODILESS = new Set([204, 205, 304])

/**
 * Returns true if a body is sent in any case; Express's `fresh` reads each header again, which most requests do not
 * need.
 */
function hasBody(res: Response, status: number): boolean {
  const { headers } = res.req
  return sendsBody(res) && status >= 200 && !BODILESS.has(status)
    && headers['if-none-match'] === undefined && headers['if-modified-since'] === undefined
}

/**
 * Returns true if no function of the response is wrapped, besides `setHeader`, and its client is connected: without one
 * Node.js emits no `finish`, unless the head of the reply was sent.
 */
function isOrdinary(res: Response): boolean {
  if (WRITING_FUNCTIONS === undefined || res.destroyed || res.socket?.destroyed === true) return false
  const { writeHead, write, end } = WRITING_FUNCTIONS
  return res.writeHead === writeHead && res.write === write && res.end === end
    && isOriginal('res.json', res.json) && isOriginal('res.send', res.send)
}
