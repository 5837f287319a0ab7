import { Kysely, MysqlDialect, PostgresDialect, type Dialect, type PostgresPool } from 'kysely'
import type { Pool as MysqlPool } from 'mysql2'
import type { Pool as PostgresDriverPool } from 'pg'
import type { DatabaseConfig } from '../config.js'
import type { EmbeddedPool } from './pglite.js'
import type { Database, Tables } from './schema.js'

/** The connections to the database, by the driver that they belong to. */
export type Pool = (
  | { readonly kind: 'postgres'; readonly pool: PostgresDriverPool | EmbeddedPool }
  | { readonly kind: 'mysql'; readonly pool: MysqlPool }
) & {
  /** Absent for the embedded database. */
  readonly url?: string
}

/** Opens the connections; a driver is loaded only when it is the one that is asked for. */
export async function openPool(config: DatabaseConfig): Promise<Pool> {
  switch (config.kind) {
    case 'embedded':
      return { kind: 'postgres', pool: await (await import('./pglite.js')).pglitePool(config.folder) }
    case 'postgres':
      return { kind: 'postgres', pool: (await import('./postgres.js')).postgresPool(config.url), url: config.url }
    case 'mysql':
      return { kind: 'mysql', pool: (await import('./mysql.js')).mysqlPool(config.url), url: config.url }
  }
}

/** Makes the database on these connections; to destroy it closes them. */
export function databaseOn(pool: Pool): Database {
  return new Kysely<Tables>({ dialect: dialectOn(pool) })
}

export function dialectOn({ kind, pool }: Pool): Dialect {
  // Kysely's type also has the cursors of `pg`, which it only uses where it was given their class.
  return kind === 'mysql' ? new MysqlDialect({ pool }) : new PostgresDialect({ pool: pool as PostgresPool })
}

export async function openDatabase(config: DatabaseConfig): Promise<Database> {
  return databaseOn(await openPool(config))
}
