import { serverOf, type ServerKey } from './comparison.js'
import type { Delay, Results, Turn } from './measure.js'
import { show, spreadOf } from './statistics.js'
import type { Workload } from './workloads.js'

/** One table for each workload, the fastest first. */
export function loadTables(workloads: readonly Workload[], results: Results<Turn>): string {
  return workloads.map(({ key, title }) => `#### ${key}: ${title}\n\n${loadTable(results.get(key) ?? new Map())}`).join(
    '\n\n',
  )
}

function loadTable(byServer: ReadonlyMap<ServerKey, readonly Turn[]>): string {
  const rows = [...byServer].map(([key, turns]) => ({
    key,
    perSecond: spreadOf(turns.map((turn) => turn.perSecond)),
    cost: spreadOf(turns.map((turn) => turn.cost)),
    busy: spreadOf(turns.map((turn) => turn.busy)).median,
  }))
  const against = (other: ServerKey, row: typeof rows[number]): string => {
    const base = rows.find(({ key }) => key === other)
    return base === undefined
      ? '–'
      : `${(row.perSecond.median / base.perSecond.median).toFixed(2)} · ${
        (base.cost.median / row.cost.median).toFixed(2)
      }`
  }
  return table(
    ['server', 'requests/s', 'µs of processor time per request', 'against Fastify', 'against plain Express', 'busy'],
    [...rows].sort((one, other) => one.cost.median - other.cost.median).map((row) => [
      serverOf(row.key).label,
      show(row.perSecond),
      show(row.cost, 1),
      against('fastify', row),
      against('express', row),
      `${Math.round(row.busy * 100)} %`,
    ]),
  )
}

export function memoryTable(byServer: ReadonlyMap<ServerKey, readonly Turn[]>): string {
  const rows = [...byServer].map(([key, turns]) => ({ key, memory: spreadOf(turns.map(({ memory }) => memory / 1e6)) }))
  return table(['server', 'MB resident after W1'], rows.sort((one, other) => one.memory.median - other.memory.median)
    .map(({ key, memory }) => [serverOf(key).label, show(memory)]))
}

export function latencyTable(byServer: ReadonlyMap<ServerKey, readonly Delay[]>): string {
  const of = (turns: readonly Delay[], pick: (turn: Delay) => number): string => show(spreadOf(turns.map(pick)), 2)
  return table(
    ['server', 'requests/s', 'p50, ms', 'p99, ms'],
    [...byServer].map(([key, turns]) => [
      serverOf(key).label,
      show(spreadOf(turns.map(({ perSecond }) => perSecond))),
      of(turns, ({ p50 }) => p50),
      of(turns, ({ p99 }) => p99),
    ]),
  )
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
