import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, vi } from 'vitest'
import { clientOf, type Client } from '../support/http.js'
import type { Measured } from './measured.js'

/** A server in a process of its own. */
export interface Child extends Client {
  readonly child: ChildProcess
  readonly measure: () => Promise<Measured>
  /** Sends a message, and waits for the answer. */
  readonly tell: (message: object) => Promise<void>
  readonly kill: () => Promise<void>
}

/** Starts a program of this folder, until it has sent its URL. */
export async function startChild(program: string, env: NodeJS.ProcessEnv = {}): Promise<Child> {
  const script = fileURLToPath(new URL(program, import.meta.url))
  return connected(fork(script, [], { execArgv: ['--import', 'tsx'], env: { ...process.env, ...env } }))
}

/** Starts the same by a command in front, such as `['unshare', '--mount', 'sh', '-c', 'exec "$0" "$@"']`. */
export async function startBehind(command: readonly string[], program: string, env: NodeJS.ProcessEnv): Promise<Child> {
  const [first = '', ...rest] = command
  const script = fileURLToPath(new URL(program, import.meta.url))
  return connected(
    spawn(first, [...rest, process.execPath, '--import', 'tsx', script], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    }),
  )
}

async function connected(child: ChildProcess): Promise<Child> {
  const exited = once(child, 'exit')
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
  }
  const [url] = await Promise.race([
    once(child, 'message') as Promise<[string]>,
    exited.then(([code]) => {
      throw new Error(`The server ended with ${String(code)} before it listened.`)
    }),
  ])
  const measure = async (): Promise<Measured> => {
    const answer = once(child, 'message')
    child.send('measure')
    return (await answer)[0] as Measured
  }
  const tell = async (message: object): Promise<void> => {
    const answer = once(child, 'message')
    child.send(message)
    await answer
  }
  return { ...clientOf(url, undefined as never), child, kill, measure, tell }
}

/** Megabytes by which the heap of two measurements may differ without a leak. */
const MEMORY_NOISE = 10

/** Expects that memory and descriptors are back; requests that were given up may take a moment to end. */
export async function expectAsBefore({ measure }: Child, before: Measured): Promise<void> {
  await vi.waitFor(async () => {
    const { memory, descriptors } = await measure()
    expect(descriptors).toBeLessThanOrEqual(before.descriptors)
    expect(memory).toBeLessThan(before.memory + MEMORY_NOISE)
  }, { timeout: 20_000, interval: 200 })
}
