import { drizzle } from 'drizzle-orm/node-postgres'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import pg from 'pg'

export const projects = pgTable('projects', {
  id: integer().primaryKey().generatedByDefaultAsIdentity(),
  name: text().notNull(),
})
export const members = pgTable('members', { projectId: integer().notNull(), userId: integer().notNull() })

const pool = new pg.Pool({ connectionString: process.env.RECIPE_URL })
export const db = drizzle({ client: pool })
export const close = (): Promise<void> => pool.end()
