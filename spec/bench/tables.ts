import { serverOf, type ServerKey } from './comparison.js'
import type { Delay, Results, Round } from './measure.js'
import { show, spreadOf } from './statistics.js'
import type { Workload } from './workloads.js'

/** One table for each workload, the fastest first. */
export function loadTables(workloads: readonly Workload[], results: Results<Round>): string {
  return workloads.map(({ key, title }) => `#### ${key}: ${title}\n\n${loadTable(results.get(key) ?? new Map())}`).join('\n\n')
}

function loadTable(byServer: ReadonlyMap<ServerKey, readonly Round[]>): string {
  const rows = [...byServer].map(([key, rounds]) => ({
    key,
    perSecond: spreadOf(rounds.map((round) => round.perSecond)),
    cost: spreadOf(rounds.map((round) => round.cost)),
    busy: spreadOf(rounds.map((round) => round.busy)).median,
  }))
  const against = (other: ServerKey, row: typeof rows[number]): string => {
    const base = rows.find(({ key }) => key === other)
    return base === undefined ? '–' : `${(row.perSecond.median / base.perSecond.median).toFixed(2)} · ${(base.cost.median / row.cost.median).toFixed(2)}`
  }
  return table(
    ['server', 'requests/s', 'µs of processor time per request', 'against Fastify', 'against Express by hand', 'busy'],
    [...rows].sort((one, other) => one.cost.median - other.cost.median).map((row) => [
      serverOf(row.key).label, show(row.perSecond), show(row.cost, 1), against('fastify', row), against('express', row), `${Math.round(row.busy * 100)} %`,
    ]),
  )
}

export function memoryTable(byServer: ReadonlyMap<ServerKey, readonly Round[]>): string {
  const rows = [...byServer].map(([key, rounds]) => ({ key, memory: spreadOf(rounds.map(({ memory }) => memory / 1e6)) }))
  return table(['server', 'MB resident after W1'], rows.sort((one, other) => one.memory.median - other.memory.median)
    .map(({ key, memory }) => [serverOf(key).label, show(memory)]))
}

export function latencyTable(byServer: ReadonlyMap<ServerKey, readonly Delay[]>): string {
  const of = (rounds: readonly Delay[], pick: (round: Delay) => number): string => show(spreadOf(rounds.map(pick)), 2)
  return table(['server', 'requests/s', 'p50, ms', 'p99, ms'], [...byServer].map(([key, rounds]) => [
    serverOf(key).label, show(spreadOf(rounds.map(({ perSecond }) => perSecond))), of(rounds, ({ p50 }) => p50), of(rounds, ({ p99 }) => p99),
  ]))
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
