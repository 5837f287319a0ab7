import { openEmbedded } from '../support/databases.js'

interface Schema {
  posts: { id: number; title: string; status: 'draft' | 'published'; createdAt: Date }
}

const database = await openEmbedded<Schema>()

/** The module `./database.js` of the documentation: a Kysely instance with a few posts. */
export const db = database.db
export const close = (): Promise<void> => database.close()

await db.schema.createTable('posts')
  .addColumn('id', 'integer', (column) => column.primaryKey())
  .addColumn('title', 'text', (column) => column.notNull())
  .addColumn('status', 'text', (column) => column.notNull())
  .addColumn('createdAt', 'timestamptz', (column) => column.notNull())
  .execute()

const post = (id: number, title: string, day: string, status: 'draft' | 'published' = 'published') => ({ id, title,
  status, createdAt: new Date(`${day}T08:00:00Z`) })

await db.insertInto('posts').values([
  post(1, 'First', '2026-11-01'),
  post(2, 'Second', '2026-11-02'),
  post(3, 'Third', '2026-11-03'),
  post(4, 'Unfinished', '2026-11-04', 'draft'),
]).execute()
