import { Kysely, MysqlDialect, PostgresDialect, sql, SqliteDialect, type Dialect } from 'kysely'
import Libsql from 'libsql'
import { createPool } from 'mysql2'
import pg from 'pg'
import { kyselyStore } from 'resourcery/kysely'
import { SAMPLE_COLUMNS, type SampleTables } from '../../support/sample-store.js'
import { kyselyThings, type AnyDialect, type TypedTables } from '../../support/typed-table.js'
import type { Connect, Stores } from './tables.js'

function storesOf(dialect: Dialect, name: AnyDialect): Stores {
  const db = new Kysely<SampleTables & TypedTables>({ dialect })
  return {
    samples: kyselyStore(db, 'samples', { columns: SAMPLE_COLUMNS }),
    things: kyselyThings(db as never, name),
    statement: (transaction: typeof db, text) => sql.raw(text).execute(transaction),
    close: () => db.destroy(),
  }
}

/** Creates a pool with an error listener; without it a broken connection would end the process. */
function pool(url: string): pg.Pool {
  const made = new pg.Pool({ connectionString: url })
  made.on('error', () => undefined)
  made.on('connect', (client) => client.on('error', () => undefined))
  return made
}

const onPostgres: Connect = {
  dialect: 'postgres',
  open: (url) => storesOf(new PostgresDialect({ pool: pool(url) }), 'postgres'),
}
const onUnguarded: Connect = {
  dialect: 'postgres',
  open: (url) => storesOf(new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }), 'postgres'),
}
const onMariadb: Connect = {
  dialect: 'mysql',
  open: (url) => storesOf(new MysqlDialect({ pool: createPool({ uri: url, supportBigNumbers: true }) }), 'mysql'),
}
const onSqlite: Connect = {
  dialect: 'sqlite',
  open: (url) => storesOf(new SqliteDialect({ database: new Libsql(url) }), 'sqlite'),
}

export const databases = [['PostgreSQL', onPostgres], ['MariaDB', onMariadb], ['SQLite', onSqlite]] as const

/** For specs of connections alone. */
export const pools = [['PostgreSQL without listeners', onUnguarded]] as const
