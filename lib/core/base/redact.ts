import { hasProperties } from './guards.js'
import { isMap, isSet } from 'node:util/types'
import { causeOf, isError, isOfDatabase, withoutValues } from './database-error.js'

/**
 * Returns an error as it may be logged: in place of each error of a database, wherever it is in the causes, properties,
 * lists, plain objects and Maps of the error, a copy without values and SQL. Every other error is returned as it is.
 */
export function redactError(error: unknown): unknown {
  return isWalked(error) ? tried(() => redactWalked(error), error) : error
}

function redactWalked(error: object): unknown {
  const leading = leadingToDatabase(error)
  const copies = new Map<object, object>()
  for (const each of leading) copies.set(each, emptyCopyOf(each))
  const redacted = (part: unknown): unknown => hasProperties(part) ? copies.get(part) ?? part : part
  for (const [each, copy] of copies) fill(copy, each, redacted)
  return redacted(error)
}

/** The most objects that are searched, those next to the error first; a console shows fewer. */
const MOST = 10_000
/** The most parts of one object or list that are searched; a console shows a hundred of a list. */
const MOST_PARTS = 1000

/** Returns the errors of databases that an error refers to, and all objects between. */
function leadingToDatabase(error: object): ReadonlySet<object> {
  const referring = new Map<object, object[]>([[error, []]])
  const leading = new Set<object>()
  // The loop reaches what is added meanwhile.
  for (const each of referring.keys()) {
    if (isDatabaseError(each)) leading.add(each)
    for (const part of partsOf(each).slice(0, MOST_PARTS)) {
      const known = referring.get(part)
      if (known !== undefined) known.push(each)
      else if (referring.size < MOST) referring.set(part, [each])
    }
  }
  for (const each of leading) for (const owner of referring.get(each) ?? []) leading.add(owner)
  return leading
}

/** True for an error, and for an object that a copy with other parts can replace. */
function isWalked(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  return isMap(value) || isSet(value) || tried(() => Array.isArray(value) || isError(value) || isPlain(value), false)
}

function isPlain(value: object): boolean {
  const prototype = Reflect.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function isDatabaseError(value: object): boolean {
  return tried(() => (isError(value) || isPlain(value)) && isOfDatabase(value), false)
}

/** A getter may throw, and so may a Proxy: neither is of a driver. */
function tried<T>(read: () => T, otherwise: T): T {
  try {
    return read()
  } catch {
    return otherwise
  }
}

function partsOf(value: object): readonly object[] {
  return tried(() => {
    if (isMap(value)) return [...value].flat().filter(isWalked)
    if (isSet(value)) return [...value].filter(isWalked)
    return descriptorsOf(value).map(([, part]): unknown => part.value).filter(isWalked)
  }, [])
}

function descriptorsOf(value: object): readonly (readonly [string | symbol, PropertyDescriptor])[] {
  return Reflect.ownKeys(value).flatMap((key) => {
    const descriptor = Reflect.getOwnPropertyDescriptor(value, key)
    return descriptor === undefined ? [] : [[key, descriptor] as const]
  })
}

function emptyCopyOf(value: object): object {
  if (isDatabaseError(value)) return withoutValues(value)
  if (Array.isArray(value)) return []
  if (isMap(value)) return new Map()
  return isSet(value) ? new Set() : Object.create(Reflect.getPrototypeOf(value)) as object
}

/** Adds the parts of an object to its empty copy. */
function fill(copy: object, value: object, redacted: (part: unknown) => unknown): void {
  if (isDatabaseError(value)) {
    const cause = causeOf(value)
    if (cause !== undefined) Object.defineProperty(copy, 'cause', { value: redacted(cause), configurable: true })
  } else if (isMap(value)) {
    for (const [key, part] of value) Map.prototype.set.call(copy, redacted(key), redacted(part))
  } else if (isSet(value)) {
    for (const part of value) Set.prototype.add.call(copy, redacted(part))
  } else {
    for (const [key, part] of descriptorsOf(value)) {
      Object.defineProperty(copy, key, 'value' in part ? { ...part, value: redacted(part.value) } : part)
    }
    copyStack(copy, value)
  }
}

/** Copies the stack as a string: since Node.js 26 it is an accessor, which returns that of its own error alone. */
function copyStack(copy: object, error: object): void {
  if (!isError(error) || !Object.hasOwn(error, 'stack')) return
  const stack = tried(() => error.stack, undefined)
  Object.defineProperty(copy, 'stack', { value: stack, writable: true, enumerable: false, configurable: true })
}
