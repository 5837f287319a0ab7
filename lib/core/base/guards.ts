/*
 * Guards for values of any type, and typed access to objects: what they return can be read without an assertion.
 */

/** Returns true for a list. Its items are `unknown`, while `Array.isArray` gives a list of `any`. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** Returns true for an object that is no list. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns true for a value that can have properties of its own: an object, a list or a function. */
export function hasProperties(value: unknown): value is Readonly<Record<PropertyKey, unknown>> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

/** Returns true for a key that an object itself has. */
export function isKeyOf<Key extends PropertyKey>(object: Readonly<Partial<Record<Key, unknown>>>,
  key: PropertyKey): key is Key
{
  return Object.hasOwn(object, key)
}

/** Returns the keys of an object that has no keys besides those of its type. */
export function keysOf<Key extends string>(object: Readonly<Partial<Record<Key, unknown>>>): Key[] {
  return Object.keys(object) as Key[]
}

/** Returns an object as properties by name, which the compiler gives to no other type of an object. */
export function propertiesOf(object: object): Readonly<Record<string, unknown>> {
  return object as Readonly<Record<string, unknown>>
}

/** Returns a record with the same keys, in the same order. */
export function mapValues<Value, Converted>(
  values: Readonly<Record<string, Value>>,
  convert: (value: Value, name: string) => Converted,
): Record<string, Converted> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, convert(value, name)]))
}

/** Returns a property of a value of any type, `undefined` for a value that can have none. */
export function propertyOf(value: unknown, name: PropertyKey): unknown {
  return hasProperties(value) ? value[name] : undefined
}

/** Returns an object without a prototype: nothing is in it that was not added. */
export function emptyMap<T = unknown>(): Record<string, T> {
  return Object.create(null) as Record<string, T>
}

/** Returns the first item that a list has twice, `undefined` without one. */
export function firstRepeated<T>(list: readonly T[]): T | undefined {
  return list.find((item, index) => list.indexOf(item) < index)
}
