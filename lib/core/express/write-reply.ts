import { Buffer } from 'node:buffer'
import { crc32 } from 'node:zlib'
import express, { type Response } from 'express'
import { isOriginal } from './originals.js'
import { withDigits } from '../base/json.js'
import { sendsBody } from '../base/node-http.js'
import type { Envelope } from '../base/types.js'

export const JSON_TYPE = 'application/json; charset=utf-8'

/** The body that an application sends in place of an envelope, with its media type. */
export interface Encoded {
  readonly body: unknown
  readonly type: string
}

/** Returns the media type of a reply. */
export function mediaTypeOf(encoded: Encoded | undefined): string {
  return encoded?.type ?? JSON_TYPE
}

/**
 * Writes a reply, of which `text` is the JSON, as Express does: wrappers of `res.json`, of `res.send` and of Node's own
 * functions see it.
 *
 * A GET or HEAD whose copy is fresh is answered with 304 (RFC 9110 §13.1.2), a HEAD without a body.
 *
 * @throws Error `ERR_HTTP_HEADERS_SENT` when a reply was sent already; its status stays.
 */
export function writeReply(res: Response, envelope: Envelope, text: string, encoded?: Encoded): void {
  const { code } = envelope
  // The header before the status: it throws if a reply was sent, and the status of that reply stays.
  res.setHeader('Content-Type', mediaTypeOf(encoded))
  const tag = res.hasHeader('ETag') ? undefined : tagOf(res, code, text, Buffer.byteLength(text))
  if (tag !== undefined) res.setHeader('ETag', tag)
  res.statusCode = code
  if (isWrapped('res.json', res.json)) res.json(withDigits(encoded === undefined ? envelope : encoded.body))
  else if (isWrapped('res.send', res.send)) res.send(text)
  else writeText(res, text)
}

/** Returns true if a function is not Express's own; a response of plain Node.js has neither. */
function isWrapped(name: 'res.json' | 'res.send', fn: unknown): boolean {
  return fn !== undefined && !isOriginal(name, fn)
}

/** Writes a string as `res.send(text)` of Express does. */
function writeText(res: Response, text: string): void {
  if (res.req.fresh) res.statusCode = 304
  res.removeHeader('Transfer-Encoding')
  if (res.statusCode === 204 || res.statusCode === 304) {
    res.removeHeader('Content-Type')
    res.removeHeader('Content-Length')
    res.end()
    return
  }
  const empty = res.statusCode === 205 // RFC 9110 §15.3.6
  res.setHeader('Content-Length', empty ? 0 : Buffer.byteLength(text))
  // To a HEAD that middleware has made a GET, Node.js sends no body either.
  const isBodiless = empty || (res.req.method !== 'GET' && !sendsBody(res))
  if (isBodiless) res.end()
  else res.end(text, 'utf8')
}

/**
 * Returns the entity tag of a reply that a client may cache, by the app's setting; `undefined` for none
 * (RFC 9110 §8.8.3).
 *
 * The default is a weak tag of the length and a checksum: Express's cryptographic hash costs a fifth of a whole
 * request.
 */
export function tagOf(res: Response, status: number, text: string, bytes: number): string | undefined {
  const { method } = res.req
  if ((method !== 'GET' && method !== 'HEAD') || status < 200 || status >= 300) return undefined
  const { 'etag fn': generate } = settingsOf(res)
  if (generate === undefined) return undefined
  if (isDefault(generate)) return `W/"${bytes}-${crc32(text)}"`
  const tag = generate(text, 'utf8')
  return tag === '' ? undefined : tag
}

let weakGenerator: unknown

/** Returns true for the function of the setting `etag: 'weak'`, Express's default. */
function isDefault(generate: unknown): boolean {
  weakGenerator ??= express().get('etag fn')
  return generate === weakGenerator
}

/** Returns true if this package makes the tags of an app's replies. */
export function hasDefaultTags(res: Response): boolean {
  return isDefault(settingsOf(res)['etag fn'])
}

export type Replacer = ((this: unknown, key: string, value: unknown) => unknown) | readonly string[]

/** The settings of an app that concern replies; an inner app inherits those of the outer one. */
export interface Settings {
  readonly etag?: unknown
  readonly 'etag fn'?: ((body: string, encoding: 'utf8') => string | undefined) | undefined
  readonly 'json spaces'?: string | number | undefined
  readonly 'json replacer'?: Replacer | undefined
  readonly 'json escape'?: boolean | undefined
  readonly 'x-powered-by'?: unknown
}

const NO_SETTINGS: Settings = Object.freeze({})

/** Returns the settings of the app; a response of plain Node.js, outside an Express app, has none. */
export function settingsOf({ app }: { readonly app?: { readonly settings: Settings } }): Settings {
  return app === undefined ? NO_SETTINGS : app.settings
}
