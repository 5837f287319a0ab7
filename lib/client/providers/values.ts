import type { Values } from '../request.js'
import { fieldOf } from './date-times.js'

/**
 * Compares two values as JSON has them: a date equals its string, and a field that is `undefined` one that is missing.
 */
export function isEqual(one: unknown, other: unknown): boolean {
  const [a, b] = [toJson(one), toJson(other)]
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (a instanceof Blob || b instanceof Blob || Array.isArray(a) !== Array.isArray(b)) return false
  const names = new Set([...Object.keys(a), ...Object.keys(b)])
  return [...names].every((name) => isEqual(fieldOf(a, name), fieldOf(b, name)))
}

/** Returns the value that JSON has in place of an object with `toJSON`, and any other value as it is. */
export function toJson(value: unknown): unknown {
  return (value as Partial<Date> | null | undefined)?.toJSON?.() ?? value
}

/** Returns the fields whose values differ from those of the record that was read. */
export function changedFields(fields: Values, previous: unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => !isEqual(value, fieldOf(previous, name))))
}

/** Sets a value as the newest one of a map, which then forgets its oldest one if it has more than `most`. */
export function setNewest<T>(map: Map<string, T>, key: string, value: T, most: number): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}

/** Splits a list into parts of at most `size` items. */
export function chunksOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from(
    { length: Math.ceil(items.length / size) },
    (_, index) => items.slice(index * size, (index + 1) * size),
  )
}

/** Calls a function for each item, a few at a time, and returns the outcome of each call, in the order of the items. */
export async function settleEach<T, R>(
  items: readonly T[],
  call: (item: T) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  const results: PromiseSettledResult<R>[] = []
  for (const chunk of chunksOf(items, CONCURRENT_CALLS)) results.push(...await Promise.allSettled(chunk.map(call)))
  return results
}

const CONCURRENT_CALLS = 6
