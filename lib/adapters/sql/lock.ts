import { memoize } from '../../core/index.js'
import { lock, type Lock } from '../../crud/contract/index.js'
import type { Dialect } from './kinds.js'

/** Returns the lock of a table on SQLite, unless a transaction holds it already; elsewhere calls run side by side. */
export function turnsOf(dialect: Dialect, connection: object, isTransaction: boolean): Lock {
  return dialect === 'sqlite' && !isTransaction ? lockOf(connection) : (work) => work()
}

/**
 * Returns the lock of a connection that all stores on it share: in SQLite two transactions on one connection would
 * become one.
 */
export const lockOf = memoize((_connection: object) => lock())
