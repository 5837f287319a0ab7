import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { bytesOf, sendBatch } from '../batches/batch.js'
import { serverOf, serversWith, type ServerKey } from '../comparison.js'
import { prepare } from '../prepare.js'
import { pathOf, startServer, type ServerProcess } from '../processes.js'
import { runtimeOf } from '../runtime.js'
import { exchange } from '../check-replies.js'
import { quartilesOf } from '../statistics.js'
import { writeSection } from '../write-readme.js'
import { KINDS, type GrowthKind } from './kinds.js'
import { report, type Grown } from './report.js'

/*
 * How cost, start-up and memory grow: `npm run build && node --import tsx spec/bench/growth/run.ts [--write]
 * [--prepared] [--only lists,bodies] [--largest 1000] [--node 22]`.
 */

const SERVERS: readonly ServerKey[] = ['ours', 'fastify', 'express']
/** Few connections, so that large bodies do not fill the memory. */
const CONNECTIONS = 4
const TURNS = 7
const SECONDS = 0.2
const WARM_UP = 1

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: KINDS.map(({ shape }) => shape).join(',') },
    largest: { type: 'string', default: 'Infinity' },
    prepared: { type: 'boolean', default: false },
    node: { type: 'string' },
    write: { type: 'boolean', default: false },
  },
})
const runtime = runtimeOf(values.node)
if (!values.prepared) await prepare()
const kinds = KINDS.filter(({ shape }) => values.only.split(',').includes(shape))
for (const kind of kinds) {
  const grown: Grown[] = []
  for (const size of kind.sizes.filter((one) => one <= Number(values.largest))) {
    console.error(`${kind.shape}: ${size} ${kind.unit}`)
    grown.push(...await measure(kind, size))
  }
  const { text, charts } = report(kind, grown)
  console.log(`## ${kind.title}\n\n${text}\n`)
  if (values.write) {
    for (const [name, svg] of Object.entries(charts)) writeFileSync(pathOf(`growth/${name}.svg`), svg)
    writeSection('growth/README.md', kind.title, text)
  }
}

interface Running {
  readonly key: ServerKey
  readonly server: ServerProcess
  readonly requests: readonly string[]
  readonly started: Pick<Grown, 'start' | 'first' | 'memory'>
  readonly costs: number[]
}

/** Measures all servers with one size, in short turns. */
async function measure(kind: GrowthKind, size: number): Promise<Grown[]> {
  const running: Running[] = []
  try {
    for (const key of serversWith(kind.shape, SERVERS)) running.push(await start(kind, size, key))
    for (const one of running) await turn(kind, one, WARM_UP)
    for (let count = 0; count < TURNS; count++) {
      for (const one of count % 2 === 0 ? running : running.toReversed()) one.costs.push(await turn(kind, one, SECONDS))
    }
    return await Promise.all(running.map(async ({ key, server, started, costs }) => ({
      key,
      size,
      ...started,
      cost: quartilesOf(costs),
      memoryAfter: (await server.usage()).memory / 1e6,
    })))
  } finally {
    for (const { server } of running) await server.stop()
  }
}

async function start(kind: GrowthKind, size: number, key: ServerKey): Promise<Running> {
  const server = await startServer(serverOf(key), { resources: size, shape: kind.shape }, runtime)
  const { processorTime, memory } = await server.usage()
  const wanted = await kind.requestsOf(size, server.port)
  const [first] = wanted
  if (first === undefined) throw new Error(`${kind.shape} has no request`)
  const before = (await server.usage()).processorTime
  const { status } = await exchange(server.port, first)
  if (status !== kind.status) throw new Error(`${key} replied ${status} to ${kind.shape} of ${size}`)
  const after = (await server.usage()).processorTime
  const started = { start: processorTime / 1000, first: (after - before) / 1000, memory: memory / 1e6 }
  return { key, server, requests: wanted.map(bytesOf), started, costs: [] }
}

/** Returns the microseconds of processor time for one request. */
async function turn({ status }: GrowthKind, { server, requests }: Running, seconds: number): Promise<number> {
  const before = (await server.usage()).processorTime
  const done = await sendBatch({ port: server.port, requests, status, seconds, connections: CONNECTIONS })
  return ((await server.usage()).processorTime - before) / done.replies
}
