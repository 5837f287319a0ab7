import type { Request } from 'express'
import { emptyMap } from '../base/guards.js'
import { warnOnce } from '../base/warn-once.js'
import { HttpError, ValidationError } from '../base/errors.js'
import { stateOf } from '../routing/request-state.js'
import { messageOf } from '../base/messages/messages.js'
import { joinLists } from './query.js'
import { FieldMap, isMap, toPlainData, type PlainMap } from '../validate/plain-data.js'
import { hasBody, isForm, isJson, isMultipart, isUrlencoded, isUtf8 } from './content.js'
import { unknownCharset } from './errors.js'
import { bodyOf, parseReceived } from './received.js'

/** The fields of a checked body, and the `req.body` that they were taken from. */
interface Kept {
  readonly body: unknown
  readonly plain: unknown
}

/** A symbol of this package, which no client can set. */
const kept = Symbol('body')

interface Marked {
  [kept]?: Kept | undefined
}

/**
 * Checks a body that was parsed from JSON and keeps its fields for the next `bodyFieldsToReadOf`.
 *
 * @throws HttpError 400 `unreadable` when it is nested deeper than 32.
 * @throws ValidationError for NUL in a string.
 */
export function keepJson(req: Request, body: object, text: string): void {
  keepFields(req, stateOf(req).implementation.plainJson(body, text))
}

/**
 * Checks a parsed body, and keeps its fields for the next `bodyFieldsToReadOf` if asked to.
 *
 * A string is not checked: middleware has read it for a purpose of its own.
 *
 * @throws the errors of `plainBodyOf`
 */
export function checkBody(req: Request, keep: boolean): void {
  if (typeof req.body !== 'object') return
  const plain = plainBodyOf(req)
  if (keep) keepFields(req, plain)
}

function keepFields(req: Request & Marked, plain: unknown): void {
  req[kept] = { body: req.body, plain }
}

/**
 * Returns the current `req.body` as plain data: middleware may have changed or replaced it. Bytes or a string that a
 * platform has put there are parsed.
 *
 * @throws HttpError 400 `unreadable` when it is nested deeper than 32, or cannot be parsed; 415 `media_type` for JSON
 * in a charset other than UTF-8.
 * @throws ValidationError for NUL in a string.
 */
export function plainBodyOf(req: Request): unknown {
  if (isJson(req) || isUrlencoded(req)) parseReceived(req, Infinity)
  const body = bodyOf(req)
  if (typeof body === 'object' && body !== null && isJson(req) && !isUtf8(req)) throw unknownCharset()
  const plain = toPlainData(body)
  return isForm(req) && isMap(plain) ? joinLists(plain) : plain
}

export function isListBody(req: Request): boolean {
  return Array.isArray(req.body)
}

/** Returns a body that is a list as the field `items`. @throws the errors of `plainBodyOf` */
export function listFieldsOf(req: Request): PlainMap {
  return Object.assign(emptyMap(), { items: plainBodyOf(req) })
}

/**
 * Returns the fields of the body, without a prototype; none without a body.
 *
 * @throws HttpError 415 `media_type` when no parser has read the body; 400 `unreadable` for JSON that is neither object
 * nor list.
 * @throws ValidationError under `_` for a list.
 */
export function bodyFieldsOf(req: Request): PlainMap {
  return toFields(req, plainBodyOf(req))
}

/** Returns the same for reading only. Kept fields are used once: a handler may change `req.body` after it. */
export function bodyFieldsToReadOf(req: Request & Marked): Readonly<PlainMap> {
  const keptBody = req[kept]
  if (keptBody === undefined) return bodyFieldsOf(req)
  req[kept] = undefined
  if (keptBody.body !== req.body) return bodyFieldsOf(req)
  return keptBody.plain instanceof FieldMap ? keptBody.plain : toFields(req, keptBody.plain)
}

function toFields(req: Request, plain: unknown): PlainMap {
  if (isMap(plain) && Object.getPrototypeOf(plain) === null) return plain
  // `express.raw()` and `express.text()` make an empty value of an empty body.
  if ((plain === undefined || plain === '') && !hasBody(req)) return emptyMap()
  if (Array.isArray(plain)) throw new ValidationError({ _: [messageOf('field.type.not_list')] })
  if (plain !== undefined && isJson(req)) throw new HttpError(400, messageOf('unreadable.json'))
  if (plain === undefined) warnOfUnread(req)
  throw new HttpError(415, messageOf('media_type'))
}

/** Returns the middleware that reads a body of this type; none for a type that only the client has chosen. */
function parserFor(req: Request): string | undefined {
  if (isJson(req)) return 'express.json()'
  if (isUrlencoded(req)) return 'express.urlencoded()'
  return isMultipart(req) ? 'upload()' : undefined
}

/** Warns once for each route, method and parser; an app represents its handlers outside any route. */
function warnOfUnread(req: Request): void {
  const parser = parserFor(req)
  if (parser === undefined) return
  const own: { readonly route?: { readonly path?: string }; readonly app?: object } = req
  const { route, app } = own
  const path = `${req.baseUrl}${route?.path ?? req.path}`
  warnOnce(
    route ?? app ?? warnOfUnread,
    `No parser has read the body of ${req.method} ${path}: mount ${parser} in front of it.`,
    { code: 'RESOURCERY_BODY_NOT_READ', key: `${req.method} ${parser}` },
  )
}
