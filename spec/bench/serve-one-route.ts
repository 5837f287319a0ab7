import { load, startServer } from './processes.js'
import { show, spreadOf, type Spread } from './statistics.js'

/*
 * The same hand-written app with one route, by `app.listen` and by `serve()`: rounds by turns, each in a fresh process.
 * The number of rounds is the first argument.
 */

const WAYS = ['app.listen', 'serve'] as const
const LOAD = { connections: 50, pipelining: 4 }
const rounds = Number(process.argv[2] ?? 5)

interface Round {
  readonly perSecond: number
  /** Microseconds of processor time for one request: less disturbed by what else the machine does. */
  readonly cost: number
}

async function measure(way: string): Promise<Round> {
  const server = await startServer('one-route.ts', way)
  try {
    const url = `http://127.0.0.1:${server.port}/users/1`
    await load(url, { ...LOAD, seconds: 2 })
    const before = await server.processorTime()
    const { perSecond, total } = await load(url, { ...LOAD, seconds: 4 })
    return { perSecond, cost: ((await server.processorTime()) - before) / total }
  } finally {
    server.stop()
  }
}

const results = new Map<string, Round[]>(WAYS.map((way) => [way, []]))
for (let round = 0; round < rounds; round++) {
  for (const way of WAYS) results.get(way)?.push(await measure(way))
}

const spread = (way: string, of: (round: Round) => number): Spread => spreadOf((results.get(way) ?? []).map(of))
const ratio = (of: (round: Round) => number): number => spread('serve', of).median / spread('app.listen', of).median

console.log(`Node ${process.versions.node}, ${rounds} rounds: median (least–most)`)
console.log('| way | requests/s | µs of processor time per request |')
console.log('|---|---|---|')
for (const way of WAYS) console.log(`| ${way} | ${show(spread(way, (round) => round.perSecond))} | ${show(spread(way, (round) => round.cost), 1)} |`)
console.log(`| ratio | ${ratio((round) => round.perSecond).toFixed(2)} | ${(1 / ratio((round) => round.cost)).toFixed(2)} |`)
