import { isPlainObject } from '../validate/plain-data.js'

/** Copies lists and plain objects, so that no request changes the caller of another one; other values are shared. */
export function copyClaims<T>(value: T): T
export function copyClaims(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => copyClaims(item))
  if (!isPlainObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, copyClaims(member)]))
}
