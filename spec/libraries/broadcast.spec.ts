import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import express from 'express'
import { createClient } from 'redis'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { auth } from 'resourcery'
import { issueToken } from 'resourcery'
import type { Broadcast } from 'resourcery'
import { serving } from '../support/http.js'

/* The broadcast of docs/authentication.md on Redis, where this machine has one: the test starts a server of its own. */

const root = fileURLToPath(new URL('../..', import.meta.url))
const hasRedis = spawnSync('redis-server', ['--version']).status === 0
const SECRET = 'a secret of more than thirty-two bytes, for tests'

type OverRedis = (client: Client, subscriber: Client) => Broadcast
type Client = Awaited<ReturnType<typeof connected>>

/** Returns the function of the docs. */
async function documented(folder: string): Promise<OverRedis> {
  const page = readFileSync(join(root, 'docs/authentication.md'), 'utf8')
  const [, block = ''] = /^```ts\n(import type \{ Broadcast \}.*?)^```$/ms.exec(page) ?? []
  writeFileSync(join(folder, 'over-redis.ts'), `${block}\nexport { overRedis }\n`)
  return ((await import(join(folder, 'over-redis.ts'))) as { overRedis: OverRedis }).overRedis
}

/** Starts a server on a socket in a folder. */
async function redis(folder: string): Promise<string> {
  const path = join(folder, 'redis.sock')
  const server = spawn('redis-server', ['--port', '0', '--unixsocket', path, '--save', '', '--dir', folder])
  const ended = new Promise((resolve) => server.once('exit', resolve))
  onTestFinished(async () => {
    server.kill()
    await ended
  })
  await new Promise<void>((resolve) =>
    server.stdout.on('data', (text) => {
      if (String(text).includes('eady to accept connections')) resolve()
    })
  )
  return path
}

async function connected(path: string) {
  const client = await createClient({ socket: { path, tls: false } }).connect()
  onTestFinished(() => client.destroy())
  return client
}

describe.runIf(hasRedis)('the broadcast of the docs', () => {
  it('tells other processes to forget a caller', async () => {
    const folder = mkdtempSync(join(root, 'spec/libraries/.docs-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const overRedis = await documented(folder)
    const path = await redis(folder)
    const runs = [vi.fn(() => ({ id: 7 })), vi.fn(() => ({ id: 7 }))]
    const processes = await Promise.all(runs.map(async (run) => {
      const broadcast = overRedis(await connected(path), await connected(path))
      const guard = auth('admin', { secret: SECRET, load: { run, seconds: 60, broadcast } })
      const app = express().get('/me', guard, (req, res) => void res.json(req.auth))
      return { ...await serving(app), forget: guard.forget }
    }))
    const token = await issueToken('admin', { id: 7 }, { secret: SECRET })
    const loads = async (): Promise<number[]> => {
      for (const { get } of processes) expect((await get('/me', { token })).status).toBe(200)
      return runs.map((run) => run.mock.calls.length)
    }
    // The subscriptions are ready once the callers are remembered.
    await vi.waitFor(async () => expect(await loads()).toEqual(await loads()))
    const before = await loads()
    await processes[0]?.forget(7)
    const isForgotten = async () => (await loads()).every((count, at) => count > (before[at] ?? 0))
    await vi.waitFor(async () => expect(await isForgotten()).toBe(true))
    // A process may receive its own message after it has loaded the caller again, and forget once more.
    await vi.waitFor(async () => expect(await loads()).toEqual(await loads()))
  })
})
