import { serverOf, type ServerKey } from './comparison.js'
import type { Results, Turn } from './measure.js'
import { spreadOf } from './statistics.js'
import { WORKLOADS } from './workloads.js'

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
