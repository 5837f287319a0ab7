import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { drawSoak } from './draw.js'
import type { Measured, Sample } from './measured.js'
import { KINDS, type Api, type Distinct, type Kind } from './requests.js'
import { writeFigures, type Figures } from './write-figures.js'

/*
 * Sends the blog mixed requests for a long time, and draws its memory and delays: `npm run soak -- --minutes 30`. The
 * heap after the warm-up may not grow by more than 5 %, and every reply has a status that is right for its request.
 */

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '30' }, clients: { type: 'string', default: '12' },
    requests: { type: 'string', default: '1000000' }, out: { type: 'string', default: 'spec/bench/soak' } },
})
const minutes = Number(values.minutes)
const clients = Number(values.clients)
const most = Number(values.requests)
/** Leaves out the share of the time in which code is compiled and caches become full. */
const WARM_UP = 0.2
const MOST_GROWTH = 0.05

const folder = mkdtempSync(join(tmpdir(), 'soak-'))
const child = fork(fileURLToPath(new URL('server.ts', import.meta.url)), [folder], {
  execArgv: ['--import', 'tsx'],
  stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
})
const [started] = await once(child, 'message') as [Omit<Api, 'freshToken'>]

const fresh: string[] = []
const api: Api = {
  ...started,
  freshToken: async () => {
    for (;;) {
      const token = fresh.pop()
      if (token !== undefined) return token
      await wait(10)
    }
  },
}
const wrong = new Map<string, number>()
const counts = new Map<string, number>()
/** Counts what no request has named before. */
const distinct = new Map<Distinct, number>()
let requests = 0
let times: number[] = []
const starting = performance.now()
const elapsed = (): number => (performance.now() - starting) / 60_000
const isOver = (): boolean => elapsed() >= minutes || requests >= most || child.exitCode !== null

const bag: readonly Kind[] = KINDS.flatMap((kind) => Array.from({ length: kind.weight }, () => kind))
const samples: Sample[] = []

async function client(): Promise<void> {
  while (!isOver()) {
    const kind = bag[Math.floor(Math.random() * bag.length)] as Kind
    const begun = performance.now()
    const statuses = await kind.run(api).catch((error: unknown) => [String(error)])
    times.push((performance.now() - begun) / statuses.length)
    requests += statuses.length
    if (kind.distinct !== undefined) distinct.set(kind.distinct, (distinct.get(kind.distinct) ?? 0) + 1)
    counts.set(kind.name, (counts.get(kind.name) ?? 0) + statuses.length)
    for (const status of statuses) {
      if (typeof status === 'number' && kind.statuses.includes(status)) continue
      const what = `${kind.name}: ${status}`
      wrong.set(what, (wrong.get(what) ?? 0) + 1)
    }
  }
}

/** Keeps tokens ready that no request has sent. */
async function refill(): Promise<void> {
  while (!isOver()) {
    if (fresh.length < 2_000) fresh.push(...await ask<string[]>(500))
    else await wait(100)
  }
}

let asking = Promise.resolve()
/** Sends a message to the server and returns its answer, one at a time. */
function ask<T>(message: string | number): Promise<T> {
  const answer = asking.then(async () => {
    child.send(message)
    return (await once(child, 'message'))[0] as T
  })
  asking = answer.then(() => undefined)
  return answer
}

async function watch(): Promise<void> {
  const every = Math.max(2_000, minutes * 60_000 / 120)
  for (;;) {
    const measured = await ask<Measured>('measure')
    const sorted = times.sort((a, b) => a - b)
    times = []
    samples.push({ ...measured, minutes: elapsed(), requests, median: sorted[Math.floor(sorted.length / 2)] ?? 0,
      slowest: sorted[Math.floor(sorted.length * 0.99)] ?? 0 })
    process.stderr.write(`${elapsed().toFixed(1)} minutes, ${requests} requests, heap ${measured.heap.toFixed(1)} MB\n`)
    if (isOver()) return
    await wait(every)
  }
}

await Promise.all([...Array.from({ length: clients }, client), refill(), watch()])
await finish(child)

/** Returns the growth of the heap from the first half after the warm-up to the second one. */
function growthOf(all: readonly Sample[]): number {
  const warm = all.slice(Math.ceil(all.length * WARM_UP))
  const half = Math.floor(warm.length / 2)
  const mean = (some: readonly Sample[]): number => some.reduce((sum, { heap }) => sum + heap, 0) / some.length
  return mean(warm.slice(half)) / mean(warm.slice(0, half)) - 1
}

async function finish(server: ChildProcess): Promise<void> {
  const exited = once(server, 'exit')
  server.kill('SIGTERM')
  await exited
  rmSync(folder, { recursive: true })
  const growth = growthOf(samples)
  const figures: Figures = { minutes: elapsed(), requests, growth, distinct: Object.fromEntries(distinct),
    counts: Object.fromEntries(counts), wrong: Object.fromEntries(wrong), samples }
  mkdirSync(values.out, { recursive: true })
  writeFileSync(join(values.out, 'soak.json'), `${JSON.stringify(figures, undefined, 1)}\n`)
  writeFileSync(join(values.out, 'soak.svg'), drawSoak(samples))
  writeFigures(join(values.out, 'README.md'), figures)
  console.log(`${requests} requests in ${elapsed().toFixed(1)} minutes, heap ${samples.at(-1)?.heap.toFixed(1)} MB, `
    + `growth ${(100 * growth).toFixed(1)} % after the warm-up, ${samples.at(-1)?.files} open files`)
  for (const [name, count] of distinct) console.log(`  ${count} distinct ${name}`)
  for (const [name, count] of counts) console.log(`  ${count} ${name}`)
  for (const [what, count] of wrong) console.error(`wrong status ${what}, ${count} times`)
  if (growth > MOST_GROWTH || wrong.size > 0) process.exitCode = 1
}
