import { connect, type Socket } from 'node:net'
import { once } from 'node:events'
import type { Batch, BatchResult } from './batch.js'
import { countDelay, type Delays } from './delays.js'
import { Replies } from './replies.js'

/*
 * Sends batches of requests over connections that stay open between batches, in a process of its own.
 */

/** Milliseconds after the end of a batch in which requests that are late are still sent. */
const GRACE = 1000

interface Connection {
  readonly socket: Socket
  onReply: (status: number) => void
}

const pools = new Map<number, Connection[]>()

async function poolOf(port: number, size: number): Promise<Connection[]> {
  const pool = pools.get(port) ?? []
  pools.set(port, pool)
  while (pool.length < size) {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    await once(socket, 'connect')
    const connection: Connection = { socket, onReply: () => undefined }
    const replies = new Replies()
    socket.on('data', (chunk) => replies.read(chunk, connection.onReply))
      .on('error', stop)
      .on('close', () => pools.delete(port))
    pool.push(connection)
  }
  return pool.slice(0, size)
}

async function send({ port, requests, status, seconds, connections, rate }: Batch): Promise<BatchResult> {
  const pool = await poolOf(port, connections)
  const bytes = requests.map((request) => Buffer.from(request, 'latin1'))
  let sent = 0
  const delays: Delays = {}
  const start = performance.now()
  const end = start + seconds * 1000
  let replies = 0
  const count = (got: number): void => {
    if (got !== status) stop(new Error(`${requests[0]?.split('\r\n', 1)[0] ?? ''}: ${got} instead of ${status}`))
    replies++
  }
  const write = ({ socket }: Connection): void => {
    socket.write(bytes[sent++ % bytes.length] ?? '')
  }
  if (rate === undefined) await asFast()
  else await atRate(rate)
  return { replies, seconds: (performance.now() - start) / 1000, delays }

  /** Sends the next request on a connection as soon as it has a reply. */
  async function asFast(): Promise<void> {
    await Promise.all(pool.map((connection) =>
      new Promise<void>((resolve) => {
        connection.onReply = (got) => {
          count(got)
          if (performance.now() < end) write(connection)
          else resolve()
        }
        write(connection)
      })
    ))
  }

  /** Sends requests at random times; one that finds no free connection waits, which belongs to its delay. */
  async function atRate(perSecond: number): Promise<void> {
    const free = [...pool]
    let due = start
    await new Promise<void>((resolve) => {
      const proceed = (): void => {
        const now = performance.now()
        for (let connection = free.at(-1); due <= now && due < end && now <= end + GRACE && connection !== undefined;
          connection = free.at(-1))
        {
          free.pop()
          sendAt(due, connection)
          due += (-Math.log(1 - Math.random()) * 1000) / perSecond
        }
        const over = due >= end || now > end + GRACE
        if (over && free.length === pool.length) resolve()
        else setImmediate(proceed)
      }
      proceed()
    })

    function sendAt(at: number, connection: Connection): void {
      connection.onReply = (got) => {
        count(got)
        countDelay(delays, performance.now() - at)
        free.push(connection)
      }
      write(connection)
    }
  }
}

function stop(error: Error): never {
  console.error(error.message)
  process.exit(1)
}

process.on('message', (batch: Batch) => void send(batch).then((result) => process.send?.(result), stop))
process.on('disconnect', () => process.exit(0))
process.send?.('ready')
