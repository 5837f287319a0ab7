import type { Application, Response } from 'express'
import type { Envelope, Meta } from './types.js'

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
  // The body first: a value that cannot be serialised must leave the response untouched.
  sendText(res, envelopeText(res, message, data, meta, status), status)
}

/**
 * What `send` would write as the body, for whoever keeps it before it is sent.
 *
 * @throws TypeError when the data cannot be written as JSON.
 */
export function envelopeText(res: Response, message: string, data: unknown, meta: Meta, status: number): string {
  return stringify({ code: status, message, data: toWritable(data ?? null), meta }, appOf(res))
}

/** Sends the text of an envelope. */
export function sendText(res: Response, text: string, status: number): void {
  // The header before the status: when a reply is already out, this throws and the status it went out with stays.
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.statusCode = status
  writeBody(res, text)
}

/** A response of plain Node's, outside an Express app, has none. */
function appOf(res: Response): Application | undefined {
  return res.app
}

/** What JSON makes of the data; it would leave out the key of a function, a symbol or nothing. */
function toWritable(data: unknown): unknown {
  const toJSON = (data as { toJSON?: unknown } | null)?.toJSON
  const value: unknown = typeof toJSON === 'function' ? toJSON.call(data, 'data') : data
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol') {
    throw new TypeError(`What JSON makes of this ${typeof data} is ${typeof value}, which cannot be sent.`)
  }
  return value
}

type Replacer = (this: unknown, key: string, value: unknown) => unknown

interface Settings {
  readonly spaces?: string | number
  readonly replacer?: Replacer | readonly string[]
  readonly escape?: boolean
}

function stringify(envelope: Envelope, app: Application | undefined): string {
  const { spaces, replacer, escape } = settingsOf(app)
  const text = replacer === undefined ? JSON.stringify(envelope, null, spaces) : replaced(envelope, replacer, spaces)
  return escape === true ? text.replace(/[<>&]/g, escapeCharacter) : text
}

const EMPTY: Readonly<Record<string, unknown>> = { data: null, meta: {} }

/** Whatever a `json replacer` leaves out, the keys of the envelope stay. */
function replaced(envelope: Envelope, replacer: Replacer | readonly string[], spaces: Settings['spaces']): string {
  if (typeof replacer !== 'function') return JSON.stringify(envelope, [...Object.keys(envelope), ...replacer], spaces)
  return JSON.stringify(envelope, function (this: unknown, key: string, value: unknown) {
    if (value === envelope) return value
    const kept = replacer.call(this, key, value)
    if (kept !== undefined || this !== envelope) return kept
    return key in EMPTY ? EMPTY[key] : value
  }, spaces)
}

function settingsOf(app: Application | undefined): Settings {
  if (app === undefined) return {}
  const setting = (name: string): unknown => app.get(name)
  return { spaces: setting('json spaces'), replacer: setting('json replacer'), escape: setting('json escape') } as Settings
}

function escapeCharacter(character: string): string {
  return `\\u00${character.charCodeAt(0).toString(16)}`
}

function writeBody(res: Response, text: string): void {
  const body = Buffer.from(text)
  if (isReusable(res)) {
    tagEntity(res, body)
    if (res.req.fresh) res.statusCode = 304
  }
  res.removeHeader('Transfer-Encoding')
  if (res.statusCode === 204 || res.statusCode === 304) {
    res.removeHeader('Content-Type')
    res.removeHeader('Content-Length')
    res.end()
    return
  }
  const empty = res.statusCode === 205 // RFC 9110 §15.3.6
  res.setHeader('Content-Length', empty ? 0 : body.length)
  res.end(empty || res.req.method === 'HEAD' ? undefined : body)
}

/** Whether a client may keep a copy and ask later whether it still holds. */
function isReusable({ req, statusCode }: Response): boolean {
  return (req.method === 'GET' || req.method === 'HEAD') && statusCode >= 200 && statusCode < 300
}

function tagEntity(res: Response, body: Buffer): void {
  const generate = appOf(res)?.get('etag fn') as ((body: Buffer) => string | undefined) | undefined
  if (generate === undefined || res.hasHeader('ETag')) return
  const tag = generate(body)
  if (tag) res.setHeader('ETag', tag)
}
