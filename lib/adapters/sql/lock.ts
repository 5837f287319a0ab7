import type { Dialect } from './kinds.js'

/** Runs one call at a time, in the order in which they came; a call that fails does not stop the next. */
export type Lock = <T>(work: () => Promise<T>) => Promise<T>

export function lock(): Lock {
  let last: Promise<unknown> = Promise.resolve()
  return (work) => {
    const result = last.then(work)
    last = result.catch(() => undefined)
    return result
  }
}

const locks = new WeakMap<object, Lock>()

/** Returns the lock of a table on SQLite, unless a transaction holds it already; elsewhere calls run side by side. */
export function turnsOf(dialect: Dialect, connection: object, isTransaction: boolean): Lock {
  return dialect === 'sqlite' && !isTransaction ? lockOf(connection) : (work) => work()
}

/**
 * Returns the lock of a connection that all stores on it share: in SQLite two transactions on one connection would
 * become one.
 */
export function lockOf(connection: object): Lock {
  const known = locks.get(connection) ?? lock()
  locks.set(connection, known)
  return known
}
