import type { Request } from 'express'
import { HttpError, ValidationError } from '../errors.js'
import { joinLists } from '../request-param/form-lists.js'
import { emptyMap, FieldMap, isMap, toPlainData, type PlainMap } from '../validate/plain-data.js'
import { hasBody, isForm, isJson } from './presence.js'

interface Read {
  /** What `req.body` was: a middleware may put something else there. */
  readonly body: unknown
  /** The fields of a body that is flat, as fast to read as an object of a class. */
  readonly flat: FieldMap | undefined
  /** Made of `flat`, where there is one, when somebody asks for it. */
  plain: unknown
}

/** Where a request keeps what was read of it: a symbol of ours, so nothing a caller sends can reach it. */
const read = Symbol('body')

interface Marked {
  [read]?: Read
}

/**
 * Keeps what was read from a text of JSON as plain data.
 *
 * @throws HttpError 400 `unreadable` when it is nested deeper than 32.
 * @throws ValidationError for NUL in a text.
 */
export function keepBody(req: Request, body: object, text: string): void {
  const flat = mayHide(text) ? undefined : flatCopyOf(body)
  keep(req, { body, flat, plain: flat === undefined ? toPlainData(body) : undefined })
}

/** JSON has no other way to write NUL, or `__proto__` in other letters, than by an escape. */
function mayHide(text: string): boolean {
  return text.includes('\\u') || text.includes('__proto__')
}

/** The fields of a map in which there is neither map nor list. */
function flatCopyOf(body: object): FieldMap | undefined {
  if (Array.isArray(body)) return undefined
  const fields = new FieldMap()
  for (const name of Object.keys(body)) {
    const value = (body as PlainMap)[name]
    if (typeof value === 'object' && value !== null) return undefined
    fields[name] = value
  }
  return fields
}

/**
 * What a parser has read, ours or one in front, as plain data; the walk over it happens once for a request.
 *
 * @throws HttpError 400 `unreadable` when it is nested deeper than 32.
 * @throws ValidationError for NUL in a text.
 */
export function plainBodyOf(req: Request): unknown {
  const body: unknown = req.body
  const known = knownOf(req, body)
  if (known !== undefined) {
    if (known.flat !== undefined) known.plain ??= Object.assign(emptyMap(), known.flat)
    return known.plain
  }
  const data = toPlainData(body)
  const plain = isForm(req) && isMap(data) ? joinLists(data) : data
  keep(req, { body, flat: undefined, plain })
  return plain
}

function keep(req: Request, what: Read): void {
  (req as Marked)[read] = what
}

function knownOf(req: Request, body: unknown): Read | undefined {
  const known = (req as Marked)[read]
  return known?.body === body ? known : undefined
}

/**
 * The fields of the body, without a prototype; none where there is no body.
 *
 * @throws HttpError 415 `media_type` when nobody has read the body; 400 `unreadable` when it is JSON, and neither object nor list.
 * @throws ValidationError under `_` when it is a list.
 */
export function bodyFieldsOf(req: Request): PlainMap {
  if (req.body === undefined && !hasBody(req)) return emptyMap()
  const plain = plainBodyOf(req)
  if (isMap(plain) && Object.getPrototypeOf(plain) === null) return plain
  if (Array.isArray(plain)) throw new ValidationError({ _: ['Must be an object, not a list'] })
  if (plain !== undefined && isJson(req)) throw new HttpError(400, 'The body is not a valid JSON object or list', { reason: 'unreadable' })
  if (plain === undefined) warnOfUnread(req)
  throw new HttpError(415, 'This media type is not supported here', { reason: 'media_type' })
}

/** The same to look at, for our own use. */
export function bodyFieldsToReadOf(req: Request): Readonly<PlainMap> {
  return knownOf(req, req.body)?.flat ?? bodyFieldsOf(req)
}

function warnOfUnread(req: Request): void {
  const path = (req.route as { path?: string } | undefined)?.path ?? req.path
  process.emitWarning(`Nobody read the body of ${req.method} ${req.baseUrl}${path}: put express.json() or readBody() in front of it.`, {
    code: 'RESOURCERY_BODY_NOT_READ',
  })
}
