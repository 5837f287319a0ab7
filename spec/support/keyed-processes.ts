import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, vi } from 'vitest'
import { clientOf, type Reply } from './http.js'
import { root } from './processes.js'

/** A process of `keyed-server.ts`, killed when the test ends. */
export interface Keyed {
  readonly child: ChildProcess
  /** Rejects if the process is killed during the request. */
  readonly create: (title: string, key: string) => Promise<Reply>
  readonly titles: () => Promise<string[]>
  readonly kill: () => Promise<void>
}

export async function startKeyed(env: Readonly<Record<string, string>>): Promise<Keyed> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'spec/support/keyed-server.ts'], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
  }
  onTestFinished(kill)
  let url = ''
  for await (const line of createInterface({ input: child.stdout })) {
    url = line.replace('listening on ', '')
    break
  }
  const client = clientOf(url, undefined as never)
  return {
    child,
    create: (title, key) => client.post('/notes', { title }, { headers: { 'idempotency-key': key } }),
    titles: async () =>
      ((await client.get('/notes?limit=100')).body.data as readonly { title: string }[]).map(({ title }) => title),
    kill,
  }
}

/** Repeats a request without a reply until the status is not 409. */
export async function repeat({ create }: Keyed, title: string, key: string): Promise<Reply> {
  return vi.waitFor(async () => {
    const reply = await create(title, key)
    expect(reply.status).not.toBe(409)
    return reply
  }, { timeout: 20_000, interval: 50 })
}
