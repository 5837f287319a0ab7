import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, it, onTestFinished, vi } from 'vitest'
import { scratchPostgres } from '../support/databases.js'
import { closed } from '../support/http.js'
import { startChild } from './child.js'
import { startIdentityProvider } from './identity-provider.js'

/* A clock that is set back by an hour. */

const HOUR = 3600

it('tokens and deadlines hold after the clock was set back', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'clock-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const provider = await startIdentityProvider()
  onTestFinished(() => closed(provider.server))
  const server = await startChild('parts-server.ts', { JWKS: provider.keys, FOLDER: folder })
  onTestFinished(server.kill)
  const token = await provider.issue(7)
  expect((await server.get('/notes', { token })).status).toBe(200)

  await server.tell({ clock: -HOUR })
  expect((await server.get('/notes', { token })).status).toBe(200)
  await server.tell({ part: 'store', fault: 'hangs' })
  const begun = performance.now()
  expect((await server.post('/notes', { title: 'late' }, { token })).status).toBe(503)
  expect(performance.now() - begun).toBeLessThan(10_000)
  await server.tell({ part: 'store', fault: undefined })
  // The keys are fetched again for a key id that is new, as before.
  await provider.rotate()
  expect((await server.get('/notes', { token: await provider.issue(8) })).status).toBe(200)
})

it('the claim of a killed process ends in time if the clock was set back', async () => {
  const { url, drop } = await scratchPostgres()
  onTestFinished(drop)
  const first = await startChild('notes-server.ts', { DATABASE: url, FRESH: 'yes' })
  onTestFinished(first.kill)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  await client.query('lock table notes in exclusive mode')
  const headers = { 'idempotency-key': 'one-note' }
  const lost = first.post('/notes', { title: 'once' }, { headers }).catch(() => undefined)
  // Its claim is committed, and its row waits for the lock.
  await vi.waitFor(async () => {
    const { rows } = await client.query("select 1 from pg_locks where not granted and relation = 'notes'::regclass")
    expect(rows).toHaveLength(1)
  }, 10_000)
  await first.kill()
  expect(await lost).toBeUndefined()
  await client.query('commit')

  const second = await startChild('notes-server.ts', { DATABASE: url, CLOCK: String(-HOUR) })
  onTestFinished(second.kill)
  await vi.waitFor(async () => {
    expect((await second.post('/notes', { title: 'once' }, { headers })).status).toBe(201)
  }, { timeout: 10_000, interval: 100 })
  expect((await second.get('/notes')).body.meta).toMatchObject({ total: 1 })
})
