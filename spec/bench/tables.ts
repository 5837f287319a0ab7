import { serverOf, type ServerKey } from './comparison.js'
import type { Results, Turn } from './measure.js'
import { quartilesOf, show, spreadOf } from './statistics.js'
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

/**
 * One table for all workloads: the processor time of a request, and ratios of each pair of neighbouring turns.
 */
export function pairedTable(
  workloads: readonly Workload[],
  servers: readonly ServerKey[],
  results: Results<Turn>,
): string {
  const bases = (['fastify', 'express', 'raw'] as const).filter((key) => servers.includes(key))
  const measured = servers.filter((key) => workloads.some(({ key: workload }) => results.get(workload)?.has(key)))
  const compared = measured.flatMap((key) =>
    bases.filter((base) => base !== key && isOurs(key)).map((base) => ({ key, base }))
  )
  return table(
    [
      'workload',
      ...measured.map((key) => `${plainLabel(key)}, µs`),
      ...compared.map(({ key, base }) => `${plainLabel(key)} against ${plainLabel(base)}`),
    ],
    workloads.map(({ key: workload, title }) => {
      const byServer = results.get(workload)
      const turns = (key: ServerKey): readonly Turn[] => byServer?.get(key) ?? []
      return [
        `${workload}: ${title}`,
        ...measured.map((key) => showNumber(quartilesOf(turns(key).map(({ cost }) => cost)).median, 1)),
        ...compared.map(({ key, base }) => showRatio(pairedRatios(turns(key), turns(base)))),
      ]
    }),
  )
}

/** Divides the processor time of the other server by that of this one, in each pair of neighbouring turns. */
export function pairedRatios(mine: readonly Turn[], other: readonly Turn[]): number[] {
  return mine.flatMap(({ cost }, at) => {
    const neighbour = other[at]
    return neighbour === undefined ? [] : [neighbour.cost / cost]
  })
}

/** `1.07 (0.98–1.11)`: the median and the quartiles. */
function showRatio(ratios: readonly number[]): string {
  if (ratios.length === 0) return '–'
  const { median, lower, upper } = quartilesOf(ratios)
  return `**${median.toFixed(2)}** (${lower.toFixed(2)}–${upper.toFixed(2)})`
}

function showNumber(value: number, digits: number): string {
  return Number.isNaN(value) ? '–' : value.toFixed(digits)
}

function isOurs(key: ServerKey): boolean {
  return key.startsWith('ours')
}

function plainLabel(key: ServerKey): string {
  return serverOf(key).label.replaceAll('**', '')
}

export function memoryTable(byServer: ReadonlyMap<ServerKey, readonly Turn[]>): string {
  const rows = [...byServer].map(([key, turns]) => ({ key, memory: spreadOf(turns.map(({ memory }) => memory / 1e6)) }))
  return table(['server', 'MB resident after W1'], rows.sort((one, other) => one.memory.median - other.memory.median)
    .map(({ key, memory }) => [serverOf(key).label, show(memory)]))
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
