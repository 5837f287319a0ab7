import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, MysqlDialect, PostgresDialect, sql, SqliteDialect } from 'kysely'
import Libsql from 'libsql'
import { createPool } from 'mysql2'
import pg from 'pg'
import { scratchMariadb, scratchPostgres } from '../../support/databases.js'

/** An empty database of a spec's own. */
export interface Place<Schema> {
  /** `postgres://…`, `mysql://…`, or the path of a file. */
  readonly url: string
  /** A separate connection, to create tables and to empty them. */
  readonly admin: Kysely<Schema>
  readonly drop: () => Promise<void>
}

type Open = <Schema>() => Promise<Place<Schema>>

const postgres: Open = async <Schema>() => {
  const { url, drop } = await scratchPostgres()
  const admin = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: 1 }) }),
  })
  // The name distinguishes its connections from those of the suite.
  const name = /search_path%3D(\w+)/.exec(url)?.[1] ?? ''
  return { url: `${url}&application_name=${name}`, admin, drop: () => admin.destroy().then(drop) }
}

const mariadb: Open = async <Schema>() => {
  const { url, drop } = await scratchMariadb()
  const admin = new Kysely<Schema>({
    dialect: new MysqlDialect({ pool: createPool({ uri: url, connectionLimit: 1 }) }),
  })
  return { url, admin, drop: () => admin.destroy().then(drop) }
}

const sqlite: Open = async <Schema>() => {
  const folder = await mkdtemp(join(tmpdir(), 'store-'))
  const url = join(folder, 'store.db')
  const admin = new Kysely<Schema>({ dialect: new SqliteDialect({ database: new Libsql(url) }) })
  return { url, admin, drop: () => admin.destroy().then(() => rm(folder, { recursive: true })) }
}

/** Opens an empty database. */
export function openPlace<Schema>(dialect: keyof typeof PLACES): Promise<Place<Schema>> {
  return PLACES[dialect]<Schema>()
}

const PLACES = { postgres, mysql: mariadb, sqlite }

const NO_SUCH_THREAD = 1094

/** Ends a connection to MariaDB, unless it has ended by itself since it was listed. */
export async function endMariaDbConnection<Schema>(admin: Kysely<Schema>, id: number): Promise<void> {
  await sql.raw(`kill ${id}`).execute(admin).catch((error: unknown) => {
    if ((error as { errno?: number }).errno !== NO_SUCH_THREAD) throw error
  })
}
