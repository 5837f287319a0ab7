import type { Response } from 'express'
import type { Envelope, Meta } from '../types.js'
import { settingsOf, type Replacer, type Settings } from './settings.js'

/** @throws TypeError when JSON would leave the data out. */
export function toEnvelope(message: string, data: unknown, meta: Meta, status: number): Envelope {
  return { code: status, message, data: toWritable(data ?? null), meta }
}

/**
 * Returns an envelope as the JSON that the app's settings `json spaces`, `json replacer` and `json escape` ask for.
 *
 * @throws TypeError when the data cannot be written as JSON.
 */
export function envelopeText(res: Response, envelope: Envelope): string {
  const { 'json replacer': replacer, 'json spaces': spaces, 'json escape': escapes } = settingsOf(res)
  const text = replacer === undefined ? JSON.stringify(envelope, null, spaces) : replaced(envelope, replacer, spaces)
  return escapes === true ? text.replace(/[<>&]/g, escapeCharacter) : text
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

const EMPTY: Readonly<Record<string, unknown>> = { data: null, meta: {} }

/** Whatever a `json replacer` leaves out, the keys of the envelope stay. */
function replaced(envelope: Envelope, replacer: Replacer, spaces: Settings['json spaces']): string {
  if (typeof replacer !== 'function') return JSON.stringify(envelope, [...Object.keys(envelope), ...replacer], spaces)
  return JSON.stringify(envelope, function (this: unknown, key: string, value: unknown) {
    if (value === envelope) return value
    const kept = replacer.call(this, key, value)
    if (kept !== undefined || this !== envelope) return kept
    return key in EMPTY ? EMPTY[key] : value
  }, spaces)
}

function escapeCharacter(character: string): string {
  return `\\u00${character.charCodeAt(0).toString(16)}`
}
