/** Returns a function that computes the result for an object once, and keeps it as long as the object exists. */
export function memoize<Key extends object, Result>(compute: (key: Key) => Result): (key: Key) => Result {
  return memoizeWhile(() => true, compute)
}

/** Returns a function that computes the result for an object, and again when `isCurrent` is false for the last one. */
export function memoizeWhile<Key extends object, Result>(
  isCurrent: (result: Result, key: Key) => boolean,
  compute: (key: Key) => Result,
): (key: Key) => Result {
  const results = new WeakMap<Key, Result>()
  return (key) => {
    const cached = results.get(key) as Result
    if ((cached !== undefined || results.has(key)) && isCurrent(cached, key)) return cached
    const result = compute(key)
    results.set(key, result)
    return result
  }
}
