import { memoize } from '../../core/index.js'
import { createLock } from '../../crud/contract/index.js'
import type { SqlTable } from './table.js'

/**
 * Lets the calls of a table on SQLite wait for each other, unless a transaction holds the connection already; elsewhere
 * calls run side by side.
 */
export function inTurns<Db>(table: SqlTable<Db>, connection: object): SqlTable<Db> {
  if (table.dialect !== 'sqlite' || table.isTransaction) return table
  const wait = lockOf(connection)
  const waiting = <Args extends unknown[], T>(call: (...args: Args) => Promise<T>) => (...args: Args): Promise<T> =>
    wait(() => call(...args))
  return {
    ...table,
    query: waiting(table.query),
    select: waiting(table.select),
    count: waiting(table.count),
    compute: waiting(table.compute),
    insert: waiting(table.insert),
    insertMany: table.insertMany && waiting(table.insertMany),
    update: waiting(table.update),
    updateReturning: table.updateReturning && waiting(table.updateReturning),
    delete: waiting(table.delete),
    transaction: (work, seconds) => wait(() => table.transaction(work, seconds)),
  }
}

/**
 * Returns the lock of a connection that all stores on it share: in SQLite two transactions on one connection would
 * become one.
 */
const lockOf = memoize((_connection: object) => createLock())
