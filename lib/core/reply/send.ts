import type { Response } from 'express'
import { stateOf } from '../routing/request-state.js'
import { toJson, withDigits } from '../base/json.js'
import { MisuseError } from '../base/errors.js'
import { isObject } from '../base/guards.js'
import { show } from '../base/options.js'
import { ignoreFailure, isThenable } from '../base/promises.js'
import { anyEncoding, encodeFor } from './envelope.js'
import { setLocation } from './location.js'
import { checkMeta, unfold, type Content } from './reply.js'
import type { Envelope, Meta } from '../base/types.js'
import { isTranslating, translateSuccess } from './handler-settings.js'
import { settingsOf, type Replacer, type Settings } from '../express/write-reply.js'

/**
 * Sends the envelope `{ code, message, data, meta }` as `application/json; charset=utf-8`.
 *
 * A page of `paginate` or `toPage`, and the result of `formatData`, are sent as their rows and their figures in `meta`;
 * the `meta` of the call is merged over those. The app's settings `etag`, `json spaces`, `json replacer` and
 * `json escape` apply; a bigint is the string of its digits in any case. A GET or HEAD whose copy is fresh is answered
 * with 304 (RFC 9110 §13.1.2), a HEAD without a body.
 *
 * @throws TypeError when the data cannot be serialised as JSON, or the message is no string; nothing has been sent
 * then.
 * @throws MisuseError `meta_invalid` when `meta` is no plain object, `data_promise` when the data is a promise that was
 * not awaited, `status_invalid` for a status that is not from 200 to 599.
 * @example
 * send(res, 'Here they are', await paginate(users, req))
 */
export function send(res: Response, message: string, data: unknown = null, meta: Meta = {}, status = 200): void {
  checkMeta('send', meta)
  const content = unfold(data)
  const merged = isEmpty(content.meta) ? meta : { ...content.meta, ...meta }
  const told = isTranslating ? translateSuccess(res, message, status) : message
  sendEnvelope(res, toEnvelope(told, content.data, merged, status))
}

/** Sends data in place of that of the content, as it is, also if it is a page; see `send`. */
export function sendContent(res: Response, { message, meta, status }: Content, data: unknown): void {
  const told = isTranslating ? translateSuccess(res, message, status) : message
  sendEnvelope(res, toEnvelope(told, data, meta, status))
}

/** Sends an envelope, or what the application sends in its place; its message is not translated any more. */
export function sendEnvelope(res: Response, envelope: Envelope): void {
  const encoded = anyEncoding ? encodeFor(res.req, envelope) : undefined
  // Serialised first: data that cannot be serialised must not change the response.
  // An encoding may change the media type alone.
  const isDefault = encoded === undefined || encoded.body === envelope
  const text = isDefault ? envelopeText(res, envelope) : bodyText(res, encoded.body)
  if (envelope.code === 201) setLocation(res, envelope.data)
  stateOf(res.req).implementation.writeReply(res, envelope, text, encoded)
}

/** Sends a reply that was serialised before; in another envelope it is serialised again. */
export function sendSerialized(res: Response, envelope: Envelope, text: string): void {
  if (anyEncoding && encodeFor(res.req, envelope) !== undefined) {
    sendEnvelope(res, envelope)
    return
  }
  if (envelope.code === 201) setLocation(res, envelope.data)
  stateOf(res.req).implementation.writeReply(res, envelope, text)
}

/**
 * Serialises an envelope to be stored, whatever envelope the application sends.
 *
 * @throws TypeError when it cannot be serialised, and the error of an envelope of the application.
 */
export function textToStore(res: Response, envelope: Envelope): string {
  const encoded = anyEncoding ? encodeFor(res.req, envelope) : undefined
  if (encoded !== undefined) bodyText(res, encoded.body)
  return envelopeText(res, envelope)
}

/** Serialises a body by the settings of the app. */
function bodyText(res: Response, body: unknown): string {
  const { 'json replacer': replacer, 'json spaces': spaces, 'json escape': escapes } = settingsOf(res)
  const text = (replacer === undefined
    ? toJson(body, spaces)
    : JSON.stringify(withDigits(body), replacer as (string | number)[], spaces)) as string | undefined
  if (text === undefined) throw new TypeError(`The body that \`envelope\` returned is ${show(body)}, not JSON.`)
  return escapes === true ? text.replace(/[<>&]/g, escapeCharacter) : text
}

/**
 * Makes the envelope of a reply. `toJSON` of the data is applied now: JSON would leave out the key of a function, a
 * symbol or `undefined`.
 *
 * @throws TypeError for data that JSON would leave out, and for a message that is no string.
 * @throws MisuseError `data_promise`, `data_error` and `status_invalid`.
 */
export function toEnvelope(message: string, content: unknown, meta: Meta, status: number): Envelope {
  checkMessage(message)
  checkStatus(status)
  const data = content ?? defaultData(status)
  if (typeof data === 'bigint') return { code: status, message, data: String(data), meta }
  const toJSON = (data as { toJSON?: unknown } | null)?.toJSON
  const value: unknown = typeof toJSON === 'function' ? toJSON.call(data, 'data') : data
  checkAwaited(value)
  if (value instanceof Error) throw errorAsData(value)
  if (value === undefined || typeof value === 'function' || typeof value === 'symbol') {
    throw new TypeError(`The data is a ${typeof data} whose JSON value is a ${typeof value}, which cannot be sent.`)
  }
  return { code: status, message, data: value, meta }
}

/** Programs without types may pass `undefined`, which would not be JSON. */
function checkMessage(message: unknown): void {
  if (typeof message === 'string') return
  throw new TypeError(`The message of a reply is ${show(message)}, not a string.`)
}

/** A client waits for another reply after an informational one (RFC 9110 §15.2); HTTP has no status from 600. */
function checkStatus(status: number): void {
  if (status >= 200 && status <= 599 && status % 1 === 0) return
  throw new MisuseError('status_invalid',
    `The status of a reply is ${show(status)}: it must be a whole number from 200 to 599.`)
}

/**
 * Checks that the data, the first item of a list, and the fields of that record are no promises or queries that have
 * not run: JSON would send them as `{}`. Deeper values are not read, since that takes as long as the JSON itself.
 *
 * @throws MisuseError `data_promise`
 */
function checkAwaited(data: unknown): void {
  const isInList = Array.isArray(data)
  const record: unknown = isInList ? data[0] : data
  if (!isObject(record)) return
  if (isThenable(record)) {
    throw notAwaited(data, isInList
      ? 'a list of promises: await Promise.all of it'
      : 'a promise, or a query that has not run: await it')
  }
  // JSON reads what `toJSON` of an item returns, and no inherited field.
  if (typeof record.toJSON === 'function') return
  const name = Object.keys(record).find((key) => isThenable(record[key]))
  if (name === undefined) return
  throw notAwaited(data, `a record whose field \`${name}\` is a promise, or a query that has not run: await it`)
}

function notAwaited(data: unknown, found: string): MisuseError {
  const items: readonly unknown[] = Array.isArray(data) ? data : [data]
  ignoreFailure(items.flatMap((item) => isObject(item) ? [item, ...Object.values(item)] : []))
  return new MisuseError('data_promise', `The data of a reply is ${found} before you send it.`)
}

/** An error that is returned in place of thrown would be a success with some of its properties. */
function errorAsData(error: Error): MisuseError {
  return Object.assign(new MisuseError('data_error', 'The data of a reply is an error: throw it.'), { cause: error })
}

/** Returns the data of a reply without any: that of a 422 is an object of fields in any case. */
function defaultData(status: number): unknown {
  return status === 422 ? {} : null
}

/**
 * Serialises an envelope by the app's settings `json spaces`, `json replacer` and `json escape`.
 *
 * @throws TypeError when the data cannot be serialised as JSON.
 */
function envelopeText(res: Response, envelope: Envelope): string {
  const { 'json replacer': replacer, 'json spaces': spaces, 'json escape': escapes } = settingsOf(res)
  let text: string
  if (replacer !== undefined) text = stringifyWith(replacer, envelope, spaces)
  else if (spaces) text = toJson(envelope, spaces)
  else {
    // The same as `toJson(envelope)`, in less time: that is needed for the data only.
    const { code, message, data, meta } = envelope
    const [head, tail] = [JSON.stringify(message), isEmpty(meta) ? '{}' : toJson(meta)]
    text = `{"code":${code},"message":${head},"data":${toJson(data)},"meta":${tail}}`
  }
  return escapes === true ? text.replace(/[<>&]/g, escapeCharacter) : text
}

function isEmpty(meta: Meta): boolean {
  for (const _key in meta) return false
  return true
}

/** Serialises with a `json replacer`; the keys of the envelope remain, whatever it omits. */
function stringifyWith(replacer: Replacer, sent: Envelope, spaces: Settings['json spaces']): string {
  const envelope = withDigits(sent) as Envelope
  const defaults: Readonly<Record<string, unknown>> = { data: defaultData(sent.code), meta: {} }
  if (typeof replacer !== 'function') return JSON.stringify(envelope, [...Object.keys(envelope), ...replacer], spaces)
  return JSON.stringify(envelope, function(this: unknown, key: string, value: unknown) {
    if (value === envelope) return value
    const result = replacer.call(this, key, value)
    const kept = typeof result === 'bigint' ? String(result) : result
    if (kept !== undefined || this !== envelope) return kept
    return key in defaults ? defaults[key] : value
  }, spaces)
}

function escapeCharacter(character: string): string {
  return `\\u00${character.charCodeAt(0).toString(16)}`
}
