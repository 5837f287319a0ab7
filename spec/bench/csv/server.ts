import express from 'express'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { errorHandler, mountResource, param, serve } from 'resourcery'
import { crud } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { z } from 'zod'

/* The server of run.ts, on the database of its first argument; it reports its port, and its memory on request. */

export interface Entries {
  entries: { id: number; title: string; email: string; amount: number; createdAt: Date }
}

/** In bytes. */
export interface Memory {
  readonly now: number
  readonly peak: number
}

const Entry = z.object({
  id: param.int(),
  title: z.string().min(1),
  email: z.email(),
  amount: param.number(),
  createdAt: param.date(),
})

const db = new Kysely<Entries>({
  dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: process.argv[2] }) }),
})
const app = express()
mountResource(app, {
  route: '/entries',
  name: 'entries',
  ...crud(kyselyStore(db, 'entries', { columns: { id: 'integer', amount: 'number' } }), {
    input: Entry,
    output: Entry,
    sort: ['createdAt'],
    export: true,
    import: true,
  }),
})
const { url, close } = await serve(app.use(errorHandler()), { port: 0, host: '127.0.0.1', signals: false })

process.on(
  'message',
  () =>
    process.send?.({ now: process.memoryUsage.rss(), peak: process.resourceUsage().maxRSS * 1024 } satisfies Memory),
)
process.on('disconnect', () => void close().then(() => db.destroy()))
process.send?.(url)
