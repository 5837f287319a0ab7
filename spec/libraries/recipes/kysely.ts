import { Kysely, PostgresDialect, type Generated } from 'kysely'
import pg from 'pg'

export interface Tables {
  projects: { id: Generated<number>; name: string }
  members: { projectId: number; userId: number }
}

const pool = new pg.Pool({ connectionString: process.env.RECIPE_URL })
pool.on('error', () => undefined)
pool.on('connect', (client) => client.on('error', () => undefined))
export const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
export const close = (): Promise<void> => db.destroy()
