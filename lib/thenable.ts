/** Whether a value is to be awaited, as `await` itself judges. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/** Hands a value on, now or when it is there: what is synchronous stays synchronous. */
export function chain<T, R>(value: T | PromiseLike<T>, next: (value: T) => R | PromiseLike<R>): R | PromiseLike<R> {
  return isThenable(value) ? value.then(next) : next(value)
}

/** Calls a function of the application whose failure, now or later, changes nothing; `undefined` where it fails. */
export function attempt<T>(call: () => T): T | undefined {
  try {
    const result = call()
    if (isThenable(result)) result.then(undefined, () => undefined)
    return result
  } catch {
    return undefined
  }
}
