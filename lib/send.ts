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
  const body = stringify({ code: status, message, data: data ?? null, meta }, appOf(res))
  res.statusCode = status
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  writeBody(res, body)
}

/** A response of plain Node's, outside an Express app, has none. */
function appOf(res: Response): Application | undefined {
  return res.app
}

interface Settings {
  readonly spaces?: string | number
  readonly replacer?: (key: string, value: unknown) => unknown
  readonly escape?: boolean
}

function stringify(envelope: Envelope, app: Application | undefined): string {
  const { spaces, replacer, escape } = settingsOf(app)
  const text = JSON.stringify(envelope, replacer, spaces)
  if (typeof envelope.data === 'function' || typeof envelope.data === 'symbol') {
    throw new TypeError(`A ${typeof envelope.data} cannot be sent as JSON.`)
  }
  return escape === true ? text.replace(/[<>&]/g, escapeCharacter) : text
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
  const readable = res.req.method === 'GET' || res.req.method === 'HEAD'
  if (readable && res.statusCode >= 200 && res.statusCode < 300) {
    tagEntity(res, body)
    if (res.req.fresh) res.statusCode = 304
  }
  if (res.statusCode === 204 || res.statusCode === 304) {
    res.removeHeader('Content-Type')
    res.removeHeader('Content-Length')
    res.end()
    return
  }
  res.setHeader('Content-Length', body.length)
  res.end(res.req.method === 'HEAD' ? undefined : body)
}

function tagEntity(res: Response, body: Buffer): void {
  const generate = appOf(res)?.get('etag fn') as ((body: Buffer) => string | undefined) | undefined
  if (generate === undefined || res.hasHeader('ETag')) return
  const tag = generate(body)
  if (tag) res.setHeader('ETag', tag)
}
