import { Kysely, type Dialect } from 'kysely'
import type { DatabaseConfig } from '../config.js'
import type { Database, Tables } from './schema.js'

/** Opens the database; a driver is loaded only when it is the one that is asked for. */
export async function openDatabase(config: DatabaseConfig): Promise<Database> {
  return new Kysely<Tables>({ dialect: await dialectOf(config) })
}

async function dialectOf(config: DatabaseConfig): Promise<Dialect> {
  switch (config.kind) {
    case 'embedded':
      return (await import('./pglite.js')).pgliteDialect(config.folder)
    case 'postgres':
      return (await import('./postgres.js')).postgresDialect(config.url)
    case 'mysql':
      return (await import('./mysql.js')).mysqlDialect(config.url)
  }
}
