import { serverOf, serversWith, type ServerKey } from './comparison.js'
import { bytesOf, sendBatch, type BatchResult } from './batches/batch.js'
import type { Delays } from './batches/delays.js'
import { load } from './load.js'
import { startServer, type Runtime, type ServerProcess } from './processes.js'
import type { Workload } from './workloads.js'

export interface Turn {
  readonly perSecond: number
  /**
   * Microseconds of processor time that the server spent on one request: less affected by other processes than the
   * time.
   */
  readonly cost: number
  /** The share of its core that the server used; well below 1 something else was the bottleneck. */
  readonly busy: number
  /** Bytes that are resident afterwards. */
  readonly memory: number
}

/** One turn at a given rate. */
export interface Steady {
  readonly perSecond: number
  readonly delays: Delays
}

/** By workload, then by server. */
export type Results<T> = Map<string, Map<ServerKey, T[]>>

export interface Plan {
  readonly rounds: number
  readonly turns: number
  /** Seconds of load before the first turn. */
  readonly warmUp: number
  readonly workloads: readonly Workload[]
  readonly servers: readonly ServerKey[]
  readonly runtime: Runtime
}

type Measure<T> = (server: ServerProcess, workload: Workload) => Promise<T>

/**
 * Measures every workload on every server: each round starts new processes, which get the load in turns.
 *
 * Other work of the machine thus affects all servers alike.
 */
export async function inTurns<T>(plan: Plan, measure: Measure<T>): Promise<Results<T>> {
  const { rounds, workloads, servers } = plan
  const results: Results<T> = new Map(
    workloads.map(({ key, shape }) => [key, new Map(serversWith(shape, servers).map((server) => [server, []]))]),
  )
  for (let round = 0; round < rounds; round++) {
    for (const workload of workloads) {
      console.error(`round ${round + 1} of ${rounds}: ${workload.key} ${workload.title}`)
      for (const [key, measured] of await oneRound(plan, round, workload, measure)) {
        results.get(workload.key)?.get(key)?.push(...measured)
      }
    }
  }
  return results
}

async function oneRound<T>(
  { turns, warmUp, servers, runtime }: Plan,
  round: number,
  workload: Workload,
  measure: Measure<T>,
): Promise<Map<ServerKey, T[]>> {
  const running: { readonly key: ServerKey; readonly server: ServerProcess; readonly measured: T[] }[] = []
  try {
    for (const key of serversWith(workload.shape, servers)) {
      const server = await startServer(serverOf(key), workload, runtime)
      running.push({ key, server, measured: [] })
      await warm(server, workload, warmUp)
    }
    for (let turn = 0; turn < turns; turn++) {
      // Each turn begins with another server: periodic work must not always affect the same one.
      for (const { server, measured } of rotated(running, round + turn)) measured.push(await measure(server, workload))
    }
  } finally {
    for (const { server } of running) await server.stop()
  }
  return new Map(running.map(({ key, measured }) => [key, measured]))
}

function rotated<T>(list: readonly T[], by: number): T[] {
  const first = by % list.length
  return [...list.slice(first), ...list.slice(0, first)]
}

/** Measures one turn with as many requests as the server handles. */
export async function saturate(server: ServerProcess, { request, status }: Workload, seconds: number): Promise<Turn> {
  const [before, from] = [await server.usage(), performance.now()]
  const { perSecond, total } = await load({ port: server.port, request, status, seconds })
  const [after, passed] = [await server.usage(), performance.now() - from]
  const spent = after.processorTime - before.processorTime
  return { perSecond, cost: spent / total, busy: Math.min(1, spent / (passed * 1000)), memory: after.memory }
}

/** Measures one turn of a fraction of a second with as many requests as the server handles. */
export async function batch(server: ServerProcess, workload: Workload, seconds: number): Promise<Turn> {
  const before = await server.usage()
  const done = await send(server, workload, seconds)
  const after = await server.usage()
  const spent = after.processorTime - before.processorTime
  return {
    perSecond: done.replies / done.seconds,
    cost: spent / done.replies,
    busy: Math.min(1, spent / (done.seconds * 1e6)),
    memory: after.memory,
  }
}

const BATCH_CONNECTIONS = 32

async function send({ port }: ServerProcess, { request, status }: Workload, seconds: number): Promise<BatchResult> {
  return await sendBatch({ port, requests: [bytesOf(request)], status, seconds, connections: BATCH_CONNECTIONS })
}

/** Measures one turn at a rate that is equal for all servers. */
export async function atRate(
  { port }: ServerProcess,
  { request, status }: Workload,
  rate: number,
  seconds: number,
): Promise<Steady> {
  const wanted = { port, requests: [bytesOf(request)], status, seconds, connections: STEADY_CONNECTIONS, rate }
  const done = await sendBatch(wanted)
  return { perSecond: done.replies / done.seconds, delays: done.delays }
}

const STEADY_CONNECTIONS = 64

/** Warms up until the compiler has optimised, up to three times as long on a busy machine. */
async function warm(server: ServerProcess, workload: Workload, seconds: number): Promise<void> {
  let replies = 0
  for (let times = 0; times < 3 && replies < SETTLED; times++) {
    replies += (await send(server, workload, seconds)).replies
  }
}

const SETTLED = 20_000
