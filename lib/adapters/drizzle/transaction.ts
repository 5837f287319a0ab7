import { isPool, type PgPool } from '../sql/pg-pool.js'
import type { Dialect } from '../sql/kinds.js'
import { inherit } from '../sql/table.js'
import { statementOf, Text, type Database, type Table } from './library.js'

type Connecting = ReturnType<PgPool['connect']>

/** The databases inside a transaction that was begun here. */
const begunTransactions = new WeakSet<Database>()

/** True for the database inside a transaction. */
export function isInside(db: Database): boolean {
  return typeof db.rollback === 'function' || begunTransactions.has(db)
}

/** Runs `work` in a transaction. */
export function transact<T>(
  db: Database,
  { table, dialect }: { readonly table: Table; readonly dialect: Dialect },
  work: (transaction: Database) => Promise<T>,
): Promise<T> {
  if (dialect === 'mysql') return db.transaction(work, { isolationLevel: 'read committed' })
  if (db.resultKind === 'sync') return transactSync(db, table, work)
  return isPool(db.$client) ? transactOnPool(db, db.$client, work) : db.transaction(work)
}

/**
 * Gives a connection back to the pool that was lost before the transaction began: drizzle keeps it for ever, so that
 * the pool has a place less.
 */
async function transactOnPool<T>(
  db: Database,
  pool: PgPool,
  work: (transaction: Database) => Promise<T>,
): Promise<T> {
  const progress = { hasBegun: false }
  const begin = (transaction: Database): Promise<T> => {
    progress.hasBegun = true
    return work(transaction)
  }
  // Drizzle asks for the connection before its first `await`.
  const [running, clients] = watchConnect(pool, () => db.transaction(begin))
  try {
    return await running
  } catch (error) {
    if (!progress.hasBegun) await Promise.all(clients.map(giveBack))
    throw error
  }
}

/** Calls a function, and returns its result with the connections that it has asked the pool for. */
function watchConnect<T>(pool: PgPool, call: () => T): readonly [result: T, clients: readonly Connecting[]] {
  const own = Object.getOwnPropertyDescriptor(pool, 'connect')
  const connect = pool.connect.bind(pool)
  const clients: Connecting[] = []
  const watched = (): Connecting => {
    const client = connect()
    clients.push(client)
    return client
  }
  pool.connect = watched
  try {
    return [call(), clients]
  } finally {
    if (own === undefined) Reflect.deleteProperty(pool, 'connect')
    else Object.defineProperty(pool, 'connect', own)
  }
}

async function giveBack(connecting: Connecting): Promise<void> {
  // A pool refuses what it has back already.
  await connecting.then((client) => client.release(true)).catch(() => undefined)
}

/** Runs a transaction over a driver that answers at once: drizzle's own would end before the first promise. */
async function transactSync<T>(
  db: Database,
  table: Table,
  work: (transaction: Database) => Promise<T>,
): Promise<T> {
  const run = (text: string): unknown => db.run(statementOf(table.getSQL(), [new Text(text)]))
  const transaction = inherit(db)
  begunTransactions.add(transaction)
  run('begin immediate')
  try {
    const result = await work(transaction)
    run('commit')
    return result
  } catch (error) {
    run('rollback')
    throw error
  }
}
