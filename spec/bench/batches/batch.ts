import { spawn, type ChildProcess } from 'node:child_process'
import { answerOf, pathOf, pinned } from '../processes.js'
import { headersOf } from '../tokens.js'
import type { WireRequest } from '../workloads.js'
import type { Delays } from './delays.js'

export interface Batch {
  readonly port: number
  /** The bytes of the requests that are sent in turn, as Latin-1. */
  readonly requests: readonly string[]
  /** The status of every reply. */
  readonly status: number
  readonly seconds: number
  readonly connections: number
  /** Requests per second; by default as many as the server handles. */
  readonly rate?: number
}

export interface BatchResult {
  readonly replies: number
  /** From the first request to the last reply. */
  readonly seconds: number
  /** Only at a given rate: from the time when a request was due to its reply. */
  readonly delays: Delays
}

let client: Promise<ChildProcess> | undefined

/**
 * Sends requests to one server for a short time, a fraction of a second at the least, from a process on the second core.
 *
 * @throws Error for a reply with another status.
 */
export async function sendBatch(batch: Batch): Promise<BatchResult> {
  client ??= start()
  const process = await client
  process.send(batch)
  return await answerOf<BatchResult>(process)
}

async function start(): Promise<ChildProcess> {
  const command = [process.execPath, '--import', 'tsx', pathOf('batches/client.ts')]
  const child = spawn(...pinned(1, command), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  await answerOf(child)
  child.channel?.unref()
  child.unref()
  return child
}

/** Returns the bytes of a request. */
export function bytesOf(request: WireRequest): string {
  const { method, path, body = '' } = request
  const length = Buffer.byteLength(body)
  const headers = { host: '127.0.0.1', ...headersOf(request), ...(length > 0 ? { 'content-length': length } : {}) }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${Buffer.from(body).toString('latin1')}`
}
