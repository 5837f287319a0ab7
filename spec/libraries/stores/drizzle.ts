import { sql } from 'drizzle-orm'
import { drizzle as drizzleSqlite } from 'drizzle-orm/better-sqlite3'
import { drizzle as drizzleLibsql } from 'drizzle-orm/libsql'
import { drizzle as drizzleMysql } from 'drizzle-orm/mysql2'
import { drizzle as drizzlePg } from 'drizzle-orm/node-postgres'
import Libsql from 'libsql'
import { createPool } from 'mysql2/promise'
import pg from 'pg'
import { drizzleStore, type DrizzleDatabase, type DrizzleTable } from 'resourcery/drizzle'
import { hasChildren, mysql, postgres, sqlite } from './drizzle-tables.js'
import type { Connect, Stores } from './tables.js'

/** A transaction of a server, or of SQLite. */
interface Executing {
  execute?(query: object): Promise<unknown>
  run?(query: object): unknown
}

function storesOf(
  db: DrizzleDatabase,
  { samples, things }: { samples: DrizzleTable; things: DrizzleTable },
  close: () => unknown,
): Stores {
  return {
    samples: drizzleStore(db, samples) as never,
    things: {
      store: drizzleStore(db, things) as never,
      raw: { hasChildren, isAged: (age) => sql`age = ${age} or 1 = 0`, wrong: ['1 = 1', true, () => true, null, {}] },
    },
    statement: (transaction: Executing, text) =>
      transaction.execute?.(sql.raw(text)) ?? Promise.resolve(transaction.run?.(sql.raw(text))),
    close: async () => void await close(),
  }
}

const onPostgres: Connect = {
  dialect: 'postgres',
  open: (url) => {
    const client = new pg.Pool({ connectionString: url })
    return storesOf(drizzlePg({ client }), postgres, () => client.end())
  },
}

const onMariadb: Connect = {
  dialect: 'mysql',
  open: (url) => {
    const client = createPool({ uri: url })
    return storesOf(drizzleMysql({ client }), mysql, () => client.end())
  },
}

const onSqlite: Connect = {
  dialect: 'sqlite',
  time: 'integer',
  open: (url) => {
    const client = new Libsql(url)
    return storesOf(drizzleSqlite({ client: client as never }), sqlite, () => client.close())
  },
}

const onLibsql: Connect = {
  dialect: 'sqlite',
  time: 'integer',
  open: (url) => {
    const db = drizzleLibsql({ connection: { url: `file:${url}` } })
    return storesOf(db, sqlite, () => db.$client.close())
  },
}

export const databases = [['PostgreSQL', onPostgres], ['MariaDB', onMariadb], ['SQLite', onSqlite], [
  'libSQL',
  onLibsql,
]] as const
