import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { closed, type Client, type Reply } from '../support/http.js'
import { BOUNDARY, FORM_TYPE } from '../support/multipart.js'
import { expectAsBefore, startBehind, startChild } from './child.js'
import { startIdentityProvider } from './identity-provider.js'
import { startPostgres } from './own-servers.js'
import { empty, namesIn, onSmallDisk } from './small-disk.js'

/* A disk without space, for uploads and for a database. */

const UNAVAILABLE = {
  code: 503,
  message: 'This is not available right now',
  data: null,
  meta: { reason: 'unavailable' },
}

/** Sends requests until one has no success, and returns how many had. */
async function untilRefused(send: () => Promise<Reply>): Promise<readonly [successes: number, refusal: Reply]> {
  for (let successes = 0; successes < 1000; successes++) {
    const reply = await send()
    if (reply.status >= 300) return [successes, reply]
  }
  throw new Error('The disk was never full.')
}

it('an upload to a full disk is a 503, leaves no part of a file, and succeeds once there is space', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'full-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const provider = await startIdentityProvider()
  onTestFinished(() => closed(provider.server))
  // The temporary folder for uploads under way is on the same disk.
  const server = await startBehind(onSmallDisk({ folder, megabytes: 4 }), 'parts-server.ts', {
    JWKS: provider.keys,
    FOLDER: folder,
    TMPDIR: folder,
    TSX_DISABLE_CACHE: '1',
  })
  onTestFinished(server.kill)
  const token = await provider.issue(7)
  const file = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n`
    + `${'x'.repeat(900_000)}\r\n--${BOUNDARY}--\r\n`
  const upload = (): Promise<Reply> =>
    server.post('/notes/1/file', file, { token, headers: { 'content-type': FORM_TYPE } })
  const stored = (): string[] => namesIn(server.child.pid ?? 0, folder)

  expect((await upload()).status).toBe(200)
  const before = await server.measure()
  const [successes, refusal] = await untilRefused(upload)
  expect(refusal.body).toEqual(UNAVAILABLE)
  for (let times = 0; times < 20; times++) expect((await upload()).body).toEqual(UNAVAILABLE)
  expect(stored()).toHaveLength(1 + successes)
  // What needs no disk is served.
  expect((await server.post('/notes', { title: 'a note' }, { token })).status).toBe(201)
  empty(server.child.pid ?? 0, folder)
  expect((await upload()).status).toBe(200)
  expect(stored()).toHaveLength(1)
  await expectAsBefore(server, before)
})

it('a write to a full disk of PostgreSQL is a 503 that leaves nothing, and succeeds once there is space', async () => {
  const database = await startPostgres({ tablespace: 'small', megabytes: 4 })
  onTestFinished(database.remove)
  const server = await startChild('notes-server.ts', { DATABASE: database.url, FRESH: 'yes', TABLESPACE: 'small' })
  onTestFinished(server.kill)
  const client = new pg.Client({ connectionString: database.url })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('create table other tablespace small as select md5(n::text) from generate_series(1, 15000) n')
  const long = (): string => randomBytes(60_000).toString('base64')
  const total = async ({ get }: Client): Promise<number> => (await get('/notes?limit=1')).body.meta.total ?? 0

  const [singles, refusal] = await untilRefused(() => server.post('/notes', { title: long() }))
  expect(refusal.body).toEqual(UNAVAILABLE)
  const items = Array.from({ length: 100 }, (_, at) => ({ title: `${at} ${long().slice(0, 800)}` }))
  const bulk = (): Promise<Reply> => server.post('/notes/bulk', { items })
  const [bulks, refusedBulk] = await untilRefused(bulk)
  expect(refusedBulk.body).toEqual(UNAVAILABLE)
  const before = await server.measure()
  for (let times = 0; times < 20; times++) expect((await bulk()).body).toEqual(UNAVAILABLE)
  expect(await total(server)).toBe(singles + bulks * items.length)

  await client.query('drop table other')
  expect((await bulk()).status).toBe(201)
  await expectAsBefore(server, before)
})
