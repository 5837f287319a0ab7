import { HttpError, ValidationError } from '../base/errors.js'
import { messageOf } from '../base/messages/messages.js'

/** Fields by name, without a prototype: nothing is in it that was not sent. */
export type PlainMap = Record<string, unknown>

/** Each map and each list is one level. */
const DEEPEST = 32

/**
 * Copies data that a client sent: maps lose their prototype and a key `__proto__`, lists their holes. Any other value
 * stays as it is.
 *
 * @throws HttpError 400 `unreadable` for data nested deeper than 32 levels, circular data included.
 * @throws ValidationError for NUL in a string or a key, since NUL ends a string in some stores, for half a surrogate
 * pair, which is no Unicode (RFC 8259 §8.2), and for an infinite number: `1e999` of a JSON text becomes one, which JSON
 * could only store as null (RFC 8259 §6).
 */
export function toPlainData(data: unknown): unknown {
  return copy(data, [])
}

type Path = (string | number)[]

/** Copies a value. `path` is one list for the whole walk: it grows on the way in and shrinks on the way out. */
function copy(value: unknown, path: Path): unknown {
  if (typeof value === 'string') return readable(value, path)
  if (isInfinite(value)) throw new ValidationError({ [toFieldName(path)]: [messageOf('field.finite')] })
  const list = Array.isArray(value)
  if (!list && !isPlainObject(value)) return value
  if (path.length === DEEPEST) throw new HttpError(400, messageOf('unreadable.depth', { max: DEEPEST }))
  return list ? copyList(value, path) : copyMap(value, path)
}

function copyList(list: readonly unknown[], path: Path): unknown[] {
  // Not by index: one field name of a form can make a list of millions of holes.
  return Object.values(list).map((value, index) => copyInside(value, index, path))
}

function copyMap(map: Readonly<PlainMap>, path: Path): PlainMap {
  // V8 keeps an object that is created without a prototype as a hash table: slower, and several times as large.
  const plain: PlainMap = { ...map }
  Object.setPrototypeOf(plain, null)
  if (Object.hasOwn(plain, '__proto__')) delete plain.__proto__
  for (const key of Object.keys(plain)) {
    if (!isReadable(key)) readable(key, [...path, key])
    const value = plain[key]
    const copied = copyInside(value, key, path)
    if (copied !== value) plain[key] = copied
  }
  return plain
}

function copyInside(value: unknown, key: string | number, path: Path): unknown {
  // The path is needed for errors, and for the depth of objects and lists.
  if (typeof value === 'string' ? isReadable(value) : typeof value !== 'object' && !isInfinite(value)) return value
  path.push(key)
  const copied = copy(value, path)
  path.pop()
  return copied
}

function readable(text: string, path: Path): string {
  if (isReadable(text)) return text
  const message = messageOf(text.includes('\0') ? 'field.nul' : 'field.unicode')
  throw new ValidationError({ [toFieldName(path)]: [message] })
}

function isReadable(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text)
}

export function isInfinite(value: unknown): boolean {
  return value === Infinity || value === -Infinity
}

/** A map without a prototype that is as fast as an object of a class. */
export class FieldMap {
  [name: string]: unknown

  static {
    Object.setPrototypeOf(this.prototype, null)
    Reflect.deleteProperty(this.prototype, 'constructor')
  }
}

export function isMap(value: unknown): value is PlainMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns true for an object literal of any realm; not for a Date, a Buffer or another object of a class. */
export function isPlainObject(value: unknown): value is PlainMap {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

/**
 * A client chooses keys, and they are repeated in replies: a longer one would make a reply many times as long as its
 * request.
 */
const LONGEST = 200

/** Returns the name of a value in the messages of an error: `items.0.name`, or `_` for the whole. */
export function toFieldName(path: readonly PropertyKey[]): string {
  const [first] = path
  if (first === undefined) return '_'
  const name = path.length === 1 ? String(first) : path.map(String).join('.')
  return name.length > LONGEST ? name.slice(0, LONGEST) : name
}
