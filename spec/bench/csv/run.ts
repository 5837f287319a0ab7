import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import ts from 'typescript'
import { scratchPostgres } from '../../support/databases.js'
import { FORM_TYPE, formOf } from '../../support/multipart.js'
import type { Entries, Memory } from './server.js'

/*
 * Exports 1,000,000 rows of PostgreSQL over HTTP, to a fast and to a slow client, and imports 100,000:
 * `npm run build && TEST_POSTGRES_URL=… node --import tsx spec/bench/csv/run.ts`. Each in a server process of its own
 * on the built package, whose memory is its peak since the start.
 */

const ROWS = 1_000_000
const LINES = 100_000

/** The rate of a slow client, in bytes per second. */
const SLOW = 5_000_000

/** Without its types and beside package.json, so that plain Node runs it and `resourcery` is what was built. */
const server = fileURLToPath(new URL('../../../.csv-server.mjs', import.meta.url))
const source = readFileSync(new URL('server.ts', import.meta.url), 'utf8')
writeFileSync(
  server,
  ts.transpileModule(source, { compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 } })
    .outputText,
)

const { url: database, drop } = await scratchPostgres()
const db = new Kysely<Entries>({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: database }) }) })
await sql`create table entries (id bigint primary key, title text not null, email text not null, amount numeric not null, ${
  sql.ref('createdAt')
} timestamptz(3) not null)`
  .execute(db)

try {
  await fill()
  await measured('export, a quick reader', (url) => exported(url, Infinity))
  await measured(`export, a reader of ${SLOW / 1_000_000} MB/s`, (url) => exported(url, SLOW))
  await db.deleteFrom('entries').execute()
  await measured(
    'import, the last line bad by the input',
    (url) => imported(url, 'x,Last,last@example.test,1.5,2026-11-21'),
  )
  await measured(
    'import, the last line bad by a unique key',
    (url) => imported(url, '1,Last,last@example.test,1.5,2026-11-21'),
  )
  await measured('import', (url) => imported(url, `${LINES},Last,last@example.test,1.5,2026-11-21`))
} finally {
  await db.destroy()
  await drop()
  rmSync(server)
}

async function fill(): Promise<void> {
  await sql`
    insert into entries select n, 'Entry ' || n, 'entry' || n || '@example.test', n * 0.25, timestamptz '2026-01-01' + n * interval '1 second'
    from generate_series(1, ${sql.lit(ROWS)}) n`.execute(db)
  await sql`vacuum analyze entries`.execute(db)
}

async function measured(what: string, work: (url: string) => Promise<string>): Promise<void> {
  const child = spawn(process.execPath, [server, database], {
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const [url] = await once(child, 'message') as [string]
  const memory = async (): Promise<Memory> => {
    child.send('how much?')
    return (await once(child, 'message') as [Memory])[0]
  }
  const before = await memory()
  const start = performance.now()
  const result = await work(url)
  const seconds = (performance.now() - start) / 1000
  const { peak } = await memory()
  console.log(`| ${what} | ${seconds.toFixed(1)} s | ${inMegabytes(before.now)} | ${inMegabytes(peak)} | ${result} |`)
  child.disconnect()
  await once(child, 'exit')
}

function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`
}

/** Returns the number of lines, reading at most so many bytes per second. */
async function exported(url: string, pace: number): Promise<string> {
  const asking = request(`${url}/entries/export`, { method: 'POST' }).end()
  const [response] = await once(asking, 'response') as [IncomingMessage]
  const start = performance.now()
  let bytes = 0
  let lines = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    for (const byte of chunk) if (byte === 10) lines++
    const early = bytes / pace * 1000 - (performance.now() - start)
    if (early > 5) await wait(early)
  }
  return `${lines - 1} rows, ${inMegabytes(bytes)}`
}

/** Returns the reply to a file with this last line, and the number of rows afterwards. */
async function imported(url: string, last: string): Promise<string> {
  const lines = Array.from(
    { length: LINES - 1 },
    (_, index) => `${index + 1},Entry ${index + 1},entry${index + 1}@example.test,${index / 4},2026-11-21T08:30:00Z`,
  )
  const file = ['id,title,email,amount,createdAt', ...lines, last].join('\r\n')
  const body = formOf({ name: 'file', filename: 'entries.csv', content: file })
  const response = await fetch(`${url}/entries/import`, {
    method: 'POST',
    headers: { 'content-type': FORM_TYPE },
    body: new Uint8Array(body),
  })
  const { code, data } = await response.json() as { code: number; data: unknown }
  const { count } = await db.selectFrom('entries').select((eb) => eb.fn.countAll<string>().as('count'))
    .executeTakeFirstOrThrow()
  return `${code} \`${JSON.stringify(data)}\`, ${count} rows stored`
}
