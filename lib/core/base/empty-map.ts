/** Returns an object without a prototype: nothing is in it that was not added. */
export function emptyMap<T = unknown>(): Record<string, T> {
  return Object.create(null) as Record<string, T>
}
