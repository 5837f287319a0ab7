import { randomUUID } from 'node:crypto'
import { PGlite } from '@electric-sql/pglite'
import { Kysely, MysqlDialect, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import { createPool } from 'mysql2'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'

/** A database of one spec, empty at the start and dropped by `close`. */
export interface TestDatabase<Schema> {
  readonly db: Kysely<Schema>
  readonly dialect: 'postgres' | 'mysql'
  close(): Promise<void>
}

/** Opens the database of a suite; called in `beforeAll`. */
export type OpenDatabase = <Schema>() => Promise<TestDatabase<Schema>>

/** Opens the embedded PostgreSQL, for `npm run test:embedded`. */
export const openEmbedded: OpenDatabase = async <Schema>() => {
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: poolOfOne(await PGlite.create()) }) })
  return { db, dialect: 'postgres', close: () => db.destroy() }
}

/** Opens a new schema on the PostgreSQL server at `TEST_POSTGRES_URL`. */
export const openPostgres: OpenDatabase = async <Schema>() => {
  const { url, drop } = await scratchPostgres()
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }) })
  return { db, dialect: 'postgres', close: () => db.destroy().then(drop) }
}

/** Opens a new database on the MariaDB or MySQL server at `TEST_MARIADB_URL`. */
export const openMariadb: OpenDatabase = async <Schema>() => {
  const { url, drop } = await scratchMariadb()
  const db = new Kysely<Schema>({
    dialect: new MysqlDialect({ pool: createPool({ uri: url, supportBigNumbers: true }) }),
  })
  return { db, dialect: 'mysql', close: () => db.destroy().then(drop) }
}

/** The servers of `npm run test:databases`, by name. */
export const servers: readonly (readonly [name: string, open: OpenDatabase])[] = [
  ['PostgreSQL', openPostgres],
  ['MariaDB', openMariadb],
]

/** An empty schema or database on a server, with its own URL. */
export interface Scratch {
  readonly url: string
  readonly drop: () => Promise<void>
}

export async function scratchPostgres(): Promise<Scratch> {
  const server = serverUrl('TEST_POSTGRES_URL')
  const schema = scratchName()
  const run = async (statement: string): Promise<void> => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  await run(`create schema ${schema}`)
  const url = `${server}${server.includes('?') ? '&' : '?'}options=-c%20search_path%3D${schema}`
  return { url, drop: () => run(`drop schema ${schema} cascade`) }
}

export async function scratchMariadb(): Promise<Scratch> {
  const server = serverUrl('TEST_MARIADB_URL')
  const database = scratchName()
  const run = async (statement: string): Promise<void> => {
    const connection = await createConnection(server)
    await connection.query(statement).finally(() => connection.end())
  }
  await run(`create database ${database} character set utf8mb4`)
  const url = new URL(server)
  url.pathname = database
  return { url: url.href, drop: () => run(`drop database ${database}`) }
}

function scratchName(): string {
  return `resourcery_${randomUUID().replaceAll('-', '')}`
}

function serverUrl(variable: string): string {
  const url = process.env[variable]
  if (url === undefined || url === '') {
    const examples =
      'TEST_POSTGRES_URL=postgres://postgres@127.0.0.1:5432/test TEST_MARIADB_URL=mysql://root@127.0.0.1:3306/test'
    throw new Error(`Set ${variable} to the URL of a server for tests, as in ${examples}.`)
  }
  return url
}

/** Adds the text of each statement that is sent on a connection of a pool to a list: each is one round trip. */
export function loggingPool(pool: PostgresPool, statements: string[]): PostgresPool {
  const watched = new WeakSet<object>()
  return {
    async connect() {
      const client = await pool.connect() as PostgresPoolClient & { query: (...args: unknown[]) => unknown }
      if (watched.has(client)) return client
      watched.add(client)
      const query = client.query.bind(client)
      return Object.assign(client, {
        query: (text: unknown, ...rest: unknown[]) => {
          statements.push(String(text))
          return query(text, ...rest)
        },
      })
    },
    end: () => pool.end(),
  }
}

/** False for the question for foreign keys, which the start of an app asks beside its first requests. */
export function isOfRequest(statement: string): boolean {
  return !statement.includes("contype = 'f'")
}

/** PGlite has one connection, which a transaction must own while others wait. */
export function poolOfOne(pglite: PGlite): PostgresPool {
  let free = Promise.resolve()
  return {
    async connect() {
      const before = free
      let release = (): void => {}
      free = new Promise((resolve) => (release = resolve))
      await before
      const query = (sql: string, parameters: readonly unknown[]) =>
        pglite
          .query(sql, [...parameters])
          .then(({ rows, affectedRows }) => ({
            command: sql.trimStart().slice(0, 6).toUpperCase(),
            rowCount: affectedRows ?? 0,
            rows,
          }))
      return { query, release } as unknown as PostgresPoolClient
    },
    end: () => pglite.close(),
  }
}
