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
 * those of the same server without the bound. A request takes one millisecond of processor time, or four, and waits ten
 * for a database. Replies are counted by second of the server's processor time, which other work of the machine changes
 * less.
 */

const SELF = fileURLToPath(import.meta.url)
const PLACES = 32
/** Of a hash that takes about a millisecond. */
const ITERATIONS = 2500
const ROUNDS = 7
const { values } = parseArgs({ options: { seconds: { type: 'string', default: '5' }, serve: { type: 'string' } } })

interface Load {
  /** Milliseconds of processor time of a reply. */
  readonly work: number
  readonly maxInFlight?: number
  readonly queue?: number
}

const LOADS: readonly Load[] = [1, 4].flatMap((work) => [
  { work, maxInFlight: PLACES },
  { work, maxInFlight: PLACES, queue: PLACES },
  { work },
])

async function runServer({ work, ...options }: Load): Promise<void> {
  const app = express()
  app.get('/', (_req, res) => {
    pbkdf2Sync('work', 'salt', ITERATIONS * work, 32, 'sha256')
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
    '| bound | processor time of a reply | replies by second of processor: at the maximum | at twice '
      + '| share of the maximum (least and most) | refused a second | 99 % within: at the maximum | at twice |',
  )
  console.log('|---|---|---|---|---|---|---|---|')
  for (const load of LOADS) {
    const { work, ...options } = load
    const bound = Object.entries(options).map(([name, value]) => `\`${name}: ${value}\``).join(', ') || 'none'
    const server = await startServer(load)
    await closedLoop(server.url, CONNECTIONS, 4)
    const rounds: { maximum: Result; twice: Result }[] = []
    // In turns, since the speed of a machine changes within a minute.
    for (let round = 0; round < ROUNDS; round++) {
      const maximum = await measured(server, (url) => closedLoop(url, PLACES, seconds))
      rounds.push({ maximum, twice: await measured(server, (url) => twice(url, seconds)) })
    }
    server.stop()
    print(bound, work, rounds)
  }
}

function print(bound: string, work: number, rounds: readonly { maximum: Result; twice: Result }[]): void {
  const middle = (figure: (round: { maximum: Result; twice: Result }) => number): number =>
    Math.round(rounds.map(figure).toSorted((one, other) => one - other)[Math.floor(rounds.length / 2)] ?? NaN)
  const shares = rounds.map((round) => Math.round(round.twice.efficiency / round.maximum.efficiency * 100))
  const share = middle((round) => round.twice.efficiency / round.maximum.efficiency * 100)
  const cells = [
    bound,
    `${work} ms`,
    middle(({ maximum }) => maximum.efficiency),
    middle((round) => round.twice.efficiency),
    `${share} % (${Math.min(...shares)} to ${Math.max(...shares)} %)`,
    middle((round) => round.twice.refused),
    `${middle(({ maximum }) => maximum.late)} ms`,
    `${middle((round) => round.twice.late)} ms`,
  ]
  console.log(`| ${cells.join(' | ')} |`)
}

type Run = Omit<Result, 'efficiency'> & { readonly seconds: number }

interface Server {
  readonly url: string
  /** Seconds of processor time that the server has used. */
  readonly cpuTime: () => Promise<number>
  readonly stop: () => void
}

async function startServer(options: Load): Promise<Server> {
  const args = [...process.execArgv, SELF, '--serve', JSON.stringify(options)]
  const server = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const received = async (): Promise<unknown> => (await once(server, 'message'))[0] as unknown
  const cpuTime = async (): Promise<number> => {
    server.send('time')
    const { user, system } = await received() as NodeJS.CpuUsage
    return (user + system) / 1e6
  }
  return { url: String(await received()), cpuTime, stop: () => server.kill('SIGKILL') }
}

async function measured({ url, cpuTime }: Server, run: (url: string) => Promise<Run>): Promise<Result> {
  const before = await cpuTime()
  const result = await run(url)
  return { ...result, efficiency: result.served * result.seconds / (await cpuTime() - before) }
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

/**
 * Sends two requests for each successful reply, at any speed of the machine: the server can serve one of them. It ends
 * when all have been answered.
 */
async function twice(url: string, seconds: number): Promise<Run> {
  const replies = new Replies()
  const end = performance.now() + seconds * 1000
  const send = async (): Promise<void> => {
    if (await replies.ask(url) !== 200 || performance.now() >= end) return
    await Promise.all([send(), send()])
  }
  await Promise.all(Array.from({ length: 2 * PLACES }, send))
  return replies.result()
}

if (values.serve === undefined) await compare(Number(values.seconds))
else await runServer(JSON.parse(values.serve) as Load)
