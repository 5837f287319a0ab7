import { serverOf, type ServerKey } from './comparison.js'
import { load, type Load } from './load.js'
import { startServer, type Runtime } from './processes.js'
import type { Workload } from './workloads.js'

export interface Round {
  readonly perSecond: number
  /** Microseconds of processor time that the server spent on one request: less disturbed by what else the machine does. */
  readonly cost: number
  /** The part of its core that the server had: well below 1, something else was the bottleneck. */
  readonly busy: number
  /** Bytes that are resident afterwards. */
  readonly memory: number
}

export interface Delay {
  readonly perSecond: number
  /** Milliseconds. */
  readonly p50: number
  readonly p99: number
}

/** By workload, then by server. */
export type Results<T> = Map<string, Map<ServerKey, T[]>>

interface Plan {
  readonly rounds: number
  readonly workloads: readonly Workload[]
  readonly servers: readonly ServerKey[]
}

/** Runs every server against every workload, by turns, so that what else the machine does meets all of them alike. */
export async function inTurns<T>({ rounds, workloads, servers }: Plan, measure: (server: ServerKey, workload: Workload) => Promise<T>): Promise<Results<T>> {
  const results: Results<T> = new Map(workloads.map(({ key }) => [key, new Map(servers.map((server) => [server, []]))]))
  for (let round = 0; round < rounds; round++) {
    for (const workload of workloads) {
      console.error(`round ${round + 1} of ${rounds}: ${workload.key} ${workload.title}`)
      // Each round begins with another server: whatever is periodic must not meet the same one each time.
      const order = servers.map((_, at) => servers[(at + round) % servers.length]).filter((server) => server !== undefined)
      for (const server of order) results.get(workload.key)?.get(server)?.push(await measure(server, workload))
    }
  }
  return results
}

interface Times {
  readonly seconds: number
  readonly warmUp: number
}

/** One round in a fresh process: as many requests as the server answers. */
export async function saturate(key: ServerKey, { request, status, resources }: Workload, { seconds, warmUp }: Times, runtime: Runtime): Promise<Round> {
  const server = await startServer(serverOf(key), resources, runtime)
  const { port } = server
  try {
    await warm({ port, request, status, seconds: warmUp })
    const [before, from] = [await server.usage(), performance.now()]
    const { perSecond, total } = await load({ port, request, status, seconds })
    const [after, passed] = [await server.usage(), performance.now() - from]
    const spent = after.processorTime - before.processorTime
    return { perSecond, cost: spent / total, busy: Math.min(1, spent / (passed * 1000)), memory: after.memory }
  } finally {
    await server.stop()
  }
}

/** One round in a fresh process at a rate that is the same for all. */
export async function atRate(key: ServerKey, { request, status, resources }: Workload, rate: number, { seconds, warmUp }: Times, runtime: Runtime): Promise<Delay> {
  const server = await startServer(serverOf(key), resources, runtime)
  const { port } = server
  try {
    await warm({ port, request, status, seconds: warmUp })
    return await load({ port, request, status, seconds, rate })
  } finally {
    await server.stop()
  }
}

/** Until the compiler has settled, or three times as long: on a machine with other work a second may be few requests. */
async function warm(wanted: Load): Promise<void> {
  let replies = 0
  for (let times = 0; times < 3 && replies < SETTLED; times++) replies += (await load(wanted)).total
}

const SETTLED = 20_000
