import express from 'express'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { z } from 'zod'
import { crud } from 'resourcery/crud'
import { serve } from 'resourcery'
import { mountResource } from 'resourcery'
import { kyselyStore } from 'resourcery/kysely'
import { scratchPostgres } from '../support/databases.js'
import { spreadOf } from './statistics.js'

/*
 * Pages by cursor at the start and at the end of 1,000,000 rows: `TEST_POSTGRES_URL=… node --import tsx
 * spec/bench/cursor-1000000.ts [rounds]`.
 */

const ROWS = 1_000_000
const LIMIT = 50
const rounds = Number(process.argv[2] ?? 200)

interface Tables {
  entries: { id: number; title: string; createdAt: Date }
}

const { url, drop } = await scratchPostgres()
const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url }) }) })
const createdAt = sql.ref('createdAt')
await sql`create table entries (id bigint primary key, title text not null, ${createdAt} timestamptz(3) not null)`
  .execute(db)
// A hundred rows share each time, so that the second key decides their order.
await sql`insert into entries select n, 'Entry ' || n, timestamptz '2026-01-01' + (n / 100) * interval '1 second' from generate_series(1, ${
  sql.lit(ROWS)
}) n`
  .execute(db)
await sql`create index entries_order on entries (${createdAt}, id)`.execute(db)
await sql`vacuum analyze entries`.execute(db)

const app = express()
mountResource(app, {
  route: '/entries',
  name: 'entries',
  ...crud(kyselyStore(db, 'entries', { columns: { id: 'integer' } }), {
    input: z.object({}),
    output: z.object({ id: z.int(), title: z.string(), createdAt: z.date() }),
    sort: ['createdAt'],
  }),
})
const served = await serve(app, { port: 0, host: '127.0.0.1', signals: false })

/** Returns the milliseconds of one page. */
async function page(cursor: string, sort: string): Promise<{ ms: number; next: string | null; first: number }> {
  const start = performance.now()
  const response = await fetch(`${served.url}/entries?limit=${LIMIT}&sort=${sort}&cursor=${cursor}`)
  const { data, meta } = await response.json() as { data: { id: number }[]; meta: { next: string | null } }
  return { ms: performance.now() - start, next: meta.next, first: data[0]?.id ?? 0 }
}

/** Returns the cursor of the last page but one. */
async function cursorAt(id: number, sort: string): Promise<string> {
  const store = kyselyStore(db, 'entries', { columns: { id: 'integer' } })
  const { encodeCursor } = await import('../../lib/core/paging/cursor.js')
  const [row] = await sql<{ at: string }>`select concat(${createdAt}) as at from entries where id = ${id}`.execute(db)
    .then(({ rows }) => rows)
  const order = sort.startsWith('-') ? `${sort},-${store.key}` : `${sort},${store.key}`
  return encodeCursor([order, row?.at ?? '', String(id)])
}

for (const sort of ['createdAt', '-createdAt']) {
  const [start, end] = [
    await cursorAt(sort === 'createdAt' ? 100 : ROWS - 100, sort),
    await cursorAt(sort === 'createdAt' ? ROWS - 100 : 100, sort),
  ]
  const times: Record<'start' | 'end', number[]> = { start: [], end: [] }
  for (let round = -20; round < rounds; round++) {
    const [first, last] = [await page(start, sort), await page(end, sort)]
    if (round >= 0) {
      times.start.push(first.ms)
      times.end.push(last.ms)
    }
  }
  const [atStart, atEnd] = [spreadOf(times.start).median, spreadOf(times.end).median]
  console.log(
    `sort=${sort}: start ${atStart.toFixed(2)} ms, end ${atEnd.toFixed(2)} ms, ratio ${(atEnd / atStart).toFixed(2)}`,
  )
}
await served.close()
await db.destroy()
await drop()
