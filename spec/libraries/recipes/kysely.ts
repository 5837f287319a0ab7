import { Kysely, PostgresDialect, type Generated } from 'kysely'
import pg from 'pg'

export interface Tables {
  projects: { id: Generated<number>; name: string }
  members: { projectId: number; userId: number }
}

const pool = new pg.Pool({ connectionString: process.env.RECIPE_URL })
export const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
export const close = (): Promise<void> => db.destroy()
