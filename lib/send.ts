import type { Response } from 'express'
import { implementationFor } from './implementation.js'
import type { Envelope, Meta } from './types.js'
import { settingsOf, type Replacer, type Settings } from './write-reply.js'

/**
 * Sends the envelope `{ code, message, data, meta }` as `application/json; charset=utf-8`.
 *
 * The app's settings `etag`, `json spaces`, `json replacer` and `json escape` apply. A GET or HEAD whose copy is fresh
 * is answered with 304 (RFC 9110 §13.1.2), a HEAD without a body.
 *
 * @throws TypeError when the data cannot be serialised as JSON; nothing has been sent then.
 * @example
 * send(res, 'Here they are', users, { total: users.length })
 */
export function send(res: Response, message: string, data: unknown = null, meta: Meta = {}, status = 200): void {
  // Serialised first: data that cannot be serialised must not change the response.
  const envelope = toEnvelope(message, data, meta, status)
  const text = envelopeText(res, envelope)
  implementationFor(res.req).writeReply(res, envelope, text)
}

/** @throws TypeError for data that JSON would leave out. */
export function toEnvelope(message: string, data: unknown, meta: Meta, status: number): Envelope {
  return { code: status, message, data: toWritable(data ?? null), meta }
}

/**
 * Serialises an envelope by the app's settings `json spaces`, `json replacer` and `json escape`.
 *
 * @throws TypeError when the data cannot be serialised as JSON.
 */
export function envelopeText(res: Response, envelope: Envelope): string {
  const { 'json replacer': replacer, 'json spaces': spaces, 'json escape': escapes } = settingsOf(res)
  const text = replacer !== undefined
    ? stringifyWith(replacer, envelope, spaces)
    : spaces ? JSON.stringify(envelope, null, spaces) : compactText(envelope)
  return escapes === true ? text.replace(/[<>&]/g, escapeCharacter) : text
}

/** Returns what `JSON.stringify(envelope)` does; to serialise only the data takes a fifth less time for a short reply. */
function compactText({ code, message, data, meta }: Envelope): string {
  return `{"code":${code},"message":${JSON.stringify(message)},"data":${JSON.stringify(data)},"meta":${JSON.stringify(meta)}}`
}

/** Applies `toJSON` now: JSON would leave out the key of a function, a symbol or `undefined`. */
function toWritable(data: unknown): unknown {
  const toJSON = (data as { toJSON?: unknown } | null)?.toJSON
  const value: unknown = typeof toJSON === 'function' ? toJSON.call(data, 'data') : data
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol') {
    throw new TypeError(`The data is a ${typeof data} whose JSON value is a ${typeof value}, which cannot be sent.`)
  }
  return value
}

const DEFAULTS: Readonly<Record<string, unknown>> = { data: null, meta: {} }

/** Serialises with a `json replacer`; the keys of the envelope remain, whatever it omits. */
function stringifyWith(replacer: Replacer, envelope: Envelope, spaces: Settings['json spaces']): string {
  if (typeof replacer !== 'function') return JSON.stringify(envelope, [...Object.keys(envelope), ...replacer], spaces)
  return JSON.stringify(envelope, function (this: unknown, key: string, value: unknown) {
    if (value === envelope) return value
    const kept = replacer.call(this, key, value)
    if (kept !== undefined || this !== envelope) return kept
    return key in DEFAULTS ? DEFAULTS[key] : value
  }, spaces)
}

function escapeCharacter(character: string): string {
  return `\\u00${character.charCodeAt(0).toString(16)}`
}
