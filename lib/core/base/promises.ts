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
 * Ignores the failure of a promise, or of the promises in a list, that a synchronous function of the application has
 * returned: an unhandled rejection ends the process. A query that runs when it is awaited does not start.
 */
export function ignoreFailure(value: unknown): void {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  for (const one of values) if (one instanceof Promise) one.catch(() => undefined)
}

/** Returns the seconds that are left; throws once the time is up. */
export type CheckTime = () => number
/**
 * Runs work that must end in time; work that goes on after its time calls `checkTime` before it does anything final.
 */
export type Deadline = <T>(work: (checkTime: CheckTime) => PromiseLike<T>) => Promise<T>

/** Returns a function that bounds the time of work; `lateness` makes the error of work that takes longer. */
export function deadlineOf(seconds: number, lateness: () => Error): Deadline {
  return (work) =>
    new Promise((resolve, reject) => {
      const end = performance.now() + seconds * 1000
      let late: Error | undefined
      const timer = setTimeout(() => {
        late = lateness()
        reject(late)
      }, seconds * 1000)
      const checkTime = (): number => {
        const left = (end - performance.now()) / 1000
        if (late !== undefined || left <= 0) throw late ?? lateness()
        return left
      }
      const fail = (error: unknown): void => {
        clearTimeout(timer)
        reject(error)
      }
      try {
        work(checkTime).then((value) => {
          clearTimeout(timer)
          resolve(value)
        }, fail)
      } catch (error) {
        fail(error)
      }
    })
}

/**
 * Waits for a promise, at most a number of seconds.
 *
 * @param lateness begins the message of the error
 * @throws Error `There was no answer within 5 seconds.`
 */
export function within<T>(seconds: number, promise: PromiseLike<T>, lateness = 'There was no answer'): Promise<T> {
  return deadlineOf(seconds, () => new Error(`${lateness} within ${seconds} seconds.`))(() => promise)
}
