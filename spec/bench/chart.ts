import { serverOf, type ServerKey } from './comparison.js'
import type { Results, Turn } from './measure.js'
import { quartilesOf, spreadOf } from './statistics.js'
import { pairedRatios } from './tables.js'
import { WORKLOADS, type Workload } from './workloads.js'

/** The workloads in the chart. */
export const CHARTED = ['W1', 'W4', 'W5@500']

const [WIDTH, LABEL, BAR, GAP, HEAD] = [760, 210, 18, 6, 34]
const MARGIN = 24
const SPACE = WIDTH - LABEL - 2 * MARGIN - 70

/** Sorted bars of requests per second, on a separate background that suits light and dark pages. */
export function chart(results: Results<Turn>, node: string): string {
  let top = MARGIN + 28
  const parts = CHARTED.flatMap((workload) => {
    const bars = barsOf(results.get(workload) ?? new Map())
    const most = Math.max(...bars.map(({ perSecond }) => perSecond))
    const { title = '' } = WORKLOADS.find(({ key }) => key === workload) ?? {}
    const drawn = [
      text(MARGIN, top + 14, `${title[0]?.toUpperCase() ?? ''}${title.slice(1)}`, 'title'),
      ...bars.map(({ key, perSecond }, at) => bar(top + HEAD - 8 + at * (BAR + GAP), key, perSecond, perSecond / most)),
    ]
    top += HEAD + bars.length * (BAR + GAP) + 10
    return drawn
  })
  const height = top + MARGIN - 10
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Requests per second">
<style>
  .card { fill: #ffffff; stroke: #d0d7de } text { fill: #1f2328; font: 13px system-ui, sans-serif } .title { font-weight: 600 } .ours { fill: #0969da } .peer { fill: #afb8c1 }
  @media (prefers-color-scheme: dark) { .card { fill: #0d1117; stroke: #3d444d } text { fill: #e6edf3 } .ours { fill: #4493f8 } .peer { fill: #59636e } }
</style>
<rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
${text(MARGIN, MARGIN + 10, `Requests per second on one core, Node.js ${node}: more is better`, '')}
${parts.join('\n')}
</svg>
`
}

const [ROW, HALF] = [24, 7]

/**
 * Ratios of processor time against Fastify, each with its median and quartiles, on a logarithmic axis: 1 is equal.
 */
export function ratioChart(workloads: readonly Workload[], results: Results<Turn>, node: string): string {
  const rows = workloads.flatMap(({ title, key }) => {
    const [mine, other] = [results.get(key)?.get('ours') ?? [], results.get(key)?.get('fastify') ?? []]
    const ratios = pairedRatios(mine, other)
    return ratios.length === 0 ? [] : [{ title, ...quartilesOf(ratios) }]
  })
  const most = Math.max(2, ...rows.map(({ upper }) => upper))
  const least = Math.min(0.5, ...rows.map(({ lower }) => lower))
  const [left, right] = [300, WIDTH - MARGIN - 44]
  const across = (ratio: number): number =>
    Math.round(left + (right - left) * Math.log(ratio / least) / Math.log(most / least))
  const top = MARGIN + 50
  const height = top + rows.length * ROW + MARGIN
  const parts = rows.map(({ title, median, lower, upper }, at) => {
    const y = top + at * ROW
    return [
      text(MARGIN, y + 4, title, ''),
      `<rect class="range" x="${across(lower)}" y="${y - HALF}" width="${
        Math.max(1, across(upper) - across(lower))
      }" height="${2 * HALF}" rx="2"/>`,
      `<circle class="ours" cx="${across(median)}" cy="${y}" r="5"/>`,
      text(WIDTH - MARGIN - 32, y + 4, median.toFixed(2), ''),
    ].join('')
  })
  const marks = [0.25, 0.5, 1, 1.5, 2, 3, 4].filter((mark) => mark >= least && mark <= most).map((mark) =>
    [
      `<line class="${mark === 1 ? 'equal' : 'grid'}" x1="${across(mark)}" x2="${across(mark)}" y1="${top - 14}" y2="${
        height - MARGIN - 6
      }"/>`,
      `<text class="tick" text-anchor="middle" x="${across(mark)}" y="${top - 20}">${mark}</text>`,
    ].join('')
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Processor time against Fastify">
<style>
  .card { fill: #ffffff; stroke: #d0d7de } text { fill: #1f2328; font: 13px system-ui, sans-serif } .tick { fill: #59636e; font-size: 12px } .ours { fill: #0969da } .range { fill: #0969da; opacity: 0.3 } .grid { stroke: #d0d7de } .equal { stroke: #59636e; stroke-width: 2 }
  @media (prefers-color-scheme: dark) { .card { fill: #0d1117; stroke: #3d444d } text { fill: #e6edf3 } .tick { fill: #9198a1 } .ours { fill: #4493f8 } .range { fill: #4493f8 } .grid { stroke: #3d444d } .equal { stroke: #9198a1 } }
</style>
<rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
${
    text(MARGIN, MARGIN + 6,
      `Fastify’s processor time for a request, divided by ours, Node.js ${node}: above 1 is better`, '')
  }
${[...marks, ...parts].join('\n')}
</svg>
`
}

function barsOf(byServer: ReadonlyMap<ServerKey, readonly Turn[]>): { key: ServerKey; perSecond: number }[] {
  return [...byServer]
    .map(([key, turns]) => ({ key, perSecond: spreadOf(turns.map((turn) => turn.perSecond)).median }))
    .sort((one, other) => other.perSecond - one.perSecond)
}

function bar(top: number, key: ServerKey, perSecond: number, part: number): string {
  const width = Math.max(1, Math.round(SPACE * part))
  return [
    text(MARGIN, top + 13, serverOf(key).label.replaceAll(/[*`]/g, ''), ''),
    `<rect class="${key.startsWith('ours') ? 'ours' : 'peer'}" x="${
      MARGIN + LABEL
    }" y="${top}" width="${width}" height="${BAR}" rx="2"/>`,
    text(MARGIN + LABEL + width + 8, top + 13, Math.round(perSecond).toLocaleString('en'), ''),
  ].join('')
}

function text(x: number, y: number, words: string, kind: string): string {
  return `<text x="${x}" y="${y}"${kind === '' ? '' : ` class="${kind}"`}>${words}</text>`
}
