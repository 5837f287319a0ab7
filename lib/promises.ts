/** Checks whether `await` would wait for a value. */
export function isThenable<T>(value: T | PromiseLike<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/**
 * Passes a value to a function, at once if it is there and later if it is a promise: synchronous code stays
 * synchronous.
 */
export function chain<T, R>(value: T | PromiseLike<T>, next: (value: T) => R | PromiseLike<R>): R | PromiseLike<R> {
  return isThenable(value) ? value.then(next) : next(value)
}

/** Calls a function of the application whose failure, now or later, is ignored; returns `undefined` if it fails. */
export function attempt<T>(call: () => T): T | undefined {
  try {
    const result = call()
    if (isThenable(result)) result.then(undefined, () => undefined)
    return result
  } catch {
    return undefined
  }
}

/**
 * Waits for a promise, at most a number of seconds.
 *
 * @param lateness begins the message of the error
 * @throws Error `There was no answer within 5 seconds.`
 */
export async function within<T>(
  seconds: number,
  promise: PromiseLike<T>,
  lateness = 'There was no answer',
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const expiry = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${lateness} within ${seconds} seconds.`)), seconds * 1000)
  })
  try {
    return await Promise.race([promise, expiry])
  } finally {
    clearTimeout(timer)
  }
}
