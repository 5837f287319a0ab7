import { HttpError, ValidationError } from '../errors.js'
import { messageOf } from '../messages.js'
import { toFieldName } from './field-name.js'

/** Fields by name, without a prototype: nothing is in it that was not sent. */
export type PlainMap = Record<string, unknown>

/** A map is one level, and so is each list or map inside it. */
const DEEPEST = 32

/**
 * Copies data of a caller's: maps lose their prototype and a key `__proto__`, lists their holes; what is neither stays as it is.
 *
 * @throws HttpError 400 `unreadable` when it is nested deeper than 32, which a circle is too.
 * @throws ValidationError for NUL in a text or a key, which ends a text in some stores.
 */
export function toPlainData(data: unknown): unknown {
  return copy(data, [])
}

/** The path is one list for the whole walk, longer on the way in and shorter on the way out. */
function copy(value: unknown, path: string[]): unknown {
  if (typeof value === 'string') return withoutNul(value, path)
  const list = Array.isArray(value)
  if (!list && !isPlainObject(value)) return value
  if (path.length === DEEPEST) throw new HttpError(400, messageOf('unreadable.depth', { max: DEEPEST }))
  return list ? copyList(value, path) : copyMap(value, path)
}

function copyList(list: readonly unknown[], path: string[]): unknown[] {
  // Not by index: one field name of a form can make a list of millions of holes.
  return Object.values(list).map((value, index) => copyInside(value, String(index), path))
}

function copyMap(map: Readonly<PlainMap>, path: string[]): PlainMap {
  const plain = emptyMap()
  for (const key of Object.keys(map)) {
    if (key !== '__proto__') plain[key] = copyInside(map[key], key, path)
  }
  return plain
}

function copyInside(value: unknown, key: string, path: string[]): unknown {
  // Of a text without fault nobody asks where it stood.
  if (typeof value === 'string' && !value.includes('\0') && !key.includes('\0')) return value
  path.push(key)
  withoutNul(key, path)
  const copied = copy(value, path)
  path.pop()
  return copied
}

function withoutNul(text: string, path: readonly string[]): string {
  if (text.includes('\0')) throw new ValidationError({ [toFieldName(path)]: [messageOf('field.nul')] })
  return text
}

export function emptyMap(): PlainMap {
  return Object.create(null) as PlainMap
}

/** A map for our own use: nothing is in it that was not put there, and it is as fast as an object of a class. */
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

/** An object literal, of whatever realm; not a Date, a Buffer or anything else with a class. */
export function isPlainObject(value: unknown): value is PlainMap {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}
