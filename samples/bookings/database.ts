import { readFile } from 'node:fs/promises'
import { PGlite } from '@electric-sql/pglite'
import { btree_gist } from '@electric-sql/pglite/contrib/btree_gist'
import { Kysely, PostgresDialect, sql, type Generated, type PostgresPool } from 'kysely'
import pg from 'pg'
import { hashOf } from './passwords.js'

interface OfTenant {
  id: Generated<number>
  tenantId: number
}

interface Period {
  startsAt: Date
  endsAt: Date
}

export interface Tables {
  tenants: { id: Generated<number>; name: string }
  roles: OfTenant & { name: string; permissions: string[] }
  users: OfTenant & { roleId: number; name: string; email: string; active: boolean; passwordHash: string }
  rooms: OfTenant & { name: string; seats: number; price: string }
  customers: OfTenant & { name: string; email: string }
  bookings: OfTenant & Period & { roomId: number; customerId: number; title: string; version: number }
  invoices: OfTenant & { customerId: number; number: string; issuedOn: string; version: number }
  lines: OfTenant & { invoiceId: number; bookingId: number | null; text: string; quantity: number; price: string }
  attachments: OfTenant & { invoiceId: number; name: string; type: string; size: number; path: string }
  audit: OfTenant & { userId: number; action: string; recordId: number; at: Generated<Date> }
}
export type Database = Kysely<Tables>

/** Opens the database at an address, or without one PostgreSQL inside this process, in memory. */
export async function openDatabase(url: string | undefined): Promise<Database> {
  const pool = url === undefined ? await embeddedPool() : serverPool(url)
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
}

/** Creates the tables where there are none, and two tenants whose users have this password. */
export async function prepare(db: Database, password: string): Promise<void> {
  const { rows } = await sql<{ exists: boolean }>`select to_regclass('tenants') is not null as exists`.execute(db)
  if (rows[0]?.exists === true) return
  const schema = await readFile(new URL('schema.sql', import.meta.url), 'utf8')
  for (const statement of schema.split(';\n')) await sql.raw(statement).execute(db)
  await sql`update users set "passwordHash" = ${hashOf(password)}`.execute(db)
}

function serverPool(connectionString: string): PostgresPool {
  const pool = new pg.Pool({ connectionString })
  // A connection that is lost fails its queries; its own event would end the process.
  pool.on('error', (error) => console.error('A database connection was lost:', error.message))
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

/** Returns a pool with the one connection of the embedded database: each caller waits for the one before. */
async function embeddedPool(): Promise<PostgresPool> {
  const pglite = await PGlite.create({ extensions: { btree_gist } })
  const query = async (text: string, values: readonly unknown[]) => {
    const { rows, affectedRows = rows.length } = await pglite.query(text, [...values])
    return { command: text.slice(0, 6).toUpperCase(), rows, rowCount: affectedRows }
  }
  let free = Promise.resolve()
  const connect = async () => {
    const before = free
    let release = (): void => {}
    free = new Promise((resolve) => (release = resolve))
    await before
    return { query, release }
  }
  return { connect, end: () => pglite.close() } as unknown as PostgresPool
}
