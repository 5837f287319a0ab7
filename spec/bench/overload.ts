import { spawn } from 'node:child_process'
import { pbkdf2Sync } from 'node:crypto'
import { once } from 'node:events'
import { Agent, request as httpRequest } from 'node:http'
import { parseArgs } from 'node:util'
import { fileURLToPath } from 'node:url'
import express from 'express'
import { errorHandler, serve } from '../../lib/entries/index.js'

/*
 * A program: the replies of a server with a bound on requests in flight, at its maximum and at twice that load, and
 * those of the same server without the bound. A request takes about a millisecond of processor time and waits ten for a
 * database. Replies are counted by second of the server's processor time, which other work of the machine changes less.
 */

const SELF = fileURLToPath(import.meta.url)
const PLACES = 32
/** About a millisecond. */
const ITERATIONS = 2500
const { values } = parseArgs({ options: { seconds: { type: 'string', default: '5' }, serve: { type: 'string' } } })

async function runServer(options: object): Promise<void> {
  const app = express()
  app.get('/', (_req, res) => {
    pbkdf2Sync('work', 'salt', ITERATIONS, 32, 'sha256')
    setTimeout(() => res.json({ fine: true }), 10)
  })
  app.use(errorHandler())
  const { url } = await serve(app, { port: 0, host: '127.0.0.1', ...options })
  process.on('message', () => process.send?.(process.cpuUsage()))
  process.send?.(url)
}

interface Result {
  /** Successful replies a second. */
  readonly served: number
  readonly refused: number
  /** Successful replies by second of processor time of the server. */
  readonly efficiency: number
  /** Milliseconds in which 99 % of the successful replies arrived. */
  readonly late: number
}

async function compare(seconds: number): Promise<void> {
  console.log(
    '| bound | load | replies by second of processor | of the maximum | a second | refused a second | 99 % within |',
  )
  console.log('|---|---|---|---|---|---|---|')
  for (const options of [{ maxInFlight: PLACES }, { maxInFlight: PLACES, queue: PLACES }, {}]) {
    const bound = Object.entries(options).map(([name, value]) => `\`${name}: ${value}\``).join(', ') || 'none'
    const maximum = await measured(options, (url) => closedLoop(url, PLACES, seconds))
    print(bound, 'the maximum', maximum, maximum)
    print(bound, 'twice', await measured(options, (url) => twice(url, seconds)), maximum)
  }
}

function print(bound: string, load: string, { served, refused, late, efficiency }: Result, maximum: Result): void {
  const share = `${Math.round(efficiency / maximum.efficiency * 100)} %`
  const [replies, all, refusals, time] = [efficiency, served, refused, late].map(Math.round)
  console.log(`| ${bound} | ${load} | ${replies} | ${share} | ${all} | ${refusals} | ${time} ms |`)
}

type Run = Omit<Result, 'efficiency'> & { readonly seconds: number }

async function measured(options: object, run: (url: string) => Promise<Run>): Promise<Result> {
  const args = [...process.execArgv, SELF, '--serve', JSON.stringify(options)]
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const received = async (): Promise<unknown> => (await once(server, 'message'))[0] as unknown
  const cpuTime = async (): Promise<number> => {
    server.send('time')
    const { user, system } = await received() as NodeJS.CpuUsage
    return (user + system) / 1e6
  }
  try {
    const url = String(await received())
    await closedLoop(url, CONNECTIONS, 4)
    const before = await cpuTime()
    const result = await run(url)
    return { ...result, efficiency: result.served * result.seconds / (await cpuTime() - before) }
  } finally {
    server.kill('SIGKILL')
  }
}

/** As a proxy has them: Node.js accepts one new connection in each turn of its loop, which is late under load. */
const CONNECTIONS = 4 * PLACES
const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

/** Collects the replies of one measurement. */
class Replies {
  readonly #times: number[] = []
  readonly #start = performance.now()
  #refused = 0

  async ask(url: string): Promise<number | undefined> {
    const begin = performance.now()
    const sent = httpRequest(url, { agent }).end()
    const status = await new Promise<number | undefined>((resolve) => {
      sent.once('error', () => resolve(undefined))
      sent.once('response', (message) => message.once('end', () => resolve(message.statusCode)).resume())
    })
    if (status === 200) this.#times.push(performance.now() - begin)
    else if (status === 503) this.#refused++
    return status
  }

  result(): Run {
    const seconds = (performance.now() - this.#start) / 1000
    const sorted = this.#times.toSorted((one, other) => one - other)
    const late = sorted[Math.floor(sorted.length * 0.99)] ?? NaN
    return { seconds, served: sorted.length / seconds, refused: this.#refused / seconds, late }
  }
}

/** Sends the next request of each client when its last one was answered. */
async function closedLoop(url: string, clients: number, seconds: number): Promise<Run> {
  const replies = new Replies()
  const end = performance.now() + seconds * 1000
  await Promise.all(Array.from({ length: clients }, async () => {
    while (performance.now() < end) await replies.ask(url)
  }))
  return replies.result()
}

/** Sends two requests for each successful reply, at any speed of the machine: the server can serve one of them. */
async function twice(url: string, seconds: number): Promise<Run> {
  const replies = new Replies()
  const end = performance.now() + seconds * 1000
  const send = async (): Promise<void> => {
    if (await replies.ask(url) !== 200 || performance.now() >= end) return
    void send()
    void send()
  }
  for (let client = 0; client < 2 * PLACES; client++) void send()
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000))
  return replies.result()
}

if (values.serve === undefined) await compare(Number(values.seconds))
else await runServer(JSON.parse(values.serve) as object)
