import type { Sample } from './measured.js'

const [WIDTH, PANEL, LEFT, RIGHT] = [760, 190, 70, 120]

const STYLE = `
  .card { fill: #ffffff; stroke: #d0d7de } text { fill: #1f2328; font: 13px system-ui, sans-serif } .title { font-weight: 600 }
  .grid { stroke: #d0d7de } .tick { fill: #59636e; font-size: 12px } .line { fill: none; stroke-width: 2 }
  .a { stroke: #0969da } .b { stroke: #bc4c00 } text.a { fill: #0969da; stroke: none } text.b { fill: #bc4c00; stroke: none }
  @media (prefers-color-scheme: dark) { .card { fill: #0d1117; stroke: #3d444d } text { fill: #e6edf3 } .grid { stroke: #3d444d }
    .tick { fill: #9198a1 } .a { stroke: #4493f8 } .b { stroke: #f0883e } text.a { fill: #4493f8 } text.b { fill: #f0883e } }
`

interface Curve {
  readonly label: string
  readonly kind: 'a' | 'b'
  readonly of: (sample: Sample) => number
}

interface Panel {
  readonly title: string
  readonly curves: readonly Curve[]
}

const PANELS: readonly Panel[] = [
  { title: 'Heap after a garbage collection, MB', curves: [{ label: 'heap', kind: 'a', of: ({ heap }) => heap }] },
  { title: 'Memory of the process, MB', curves: [
    { label: 'resident', kind: 'a', of: ({ rss }) => rss },
    { label: 'external', kind: 'b', of: ({ external }) => external },
  ] },
  { title: 'Time of a request, ms', curves: [
    { label: 'median', kind: 'a', of: ({ median }) => median },
    { label: '99 %', kind: 'b', of: ({ slowest }) => slowest },
  ] },
  { title: 'Delay of the event loop, 99th percentile, ms',
    curves: [{ label: 'delay', kind: 'a', of: ({ loop }) => loop }] },
  { title: 'Open files and sockets', curves: [{ label: 'open', kind: 'a', of: ({ files }) => files }] },
]

/** Draws memory and delays over time, one panel below the other, each from zero. */
export function drawSoak(samples: readonly Sample[]): string {
  const height = PANELS.length * PANEL + 30
  const panels = PANELS.map((panel, index) => drawPanel(panel, samples, index * PANEL + 10))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="Memory and delays of the blog under mixed requests">
<style>${STYLE}</style>
<rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="8"/>
${panels.join('\n')}
</svg>
`
}

function drawPanel({ title, curves }: Panel, samples: readonly Sample[], top: number): string {
  const last = samples.at(-1)?.minutes ?? 1
  const most = roundUp(Math.max(...samples.flatMap((sample) => curves.map(({ of }) => of(sample)))))
  const x = (minutes: number): number => round(LEFT + minutes / last * (WIDTH - LEFT - RIGHT))
  const [high, low] = [top + 36, top + PANEL - 34]
  const y = (value: number): number => round(low - value / most * (low - high))
  const grid = [0, most / 2, most].map((value) =>
    `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(value)}" y2="${y(value)}"/>${
      text(LEFT - 8, y(value) + 4, String(value), 'tick', 'end')
    }`
  )
  const times = [0, last / 2, last].map((minutes) =>
    text(x(minutes), low + 18, `${round(minutes)} min`, 'tick', 'middle')
  )
  const lines = curves.map(({ label, kind, of }) => {
    const points = samples.map((sample) => `${x(sample.minutes)},${y(of(sample))}`).join(' ')
    const end = samples.at(-1)
    return `<polyline class="line ${kind}" points="${points}"/>${
      text(WIDTH - RIGHT + 8, y(end === undefined ? 0 : of(end)) + 4,
        `${label} ${end === undefined ? '' : round(of(end))}`, kind)
    }`
  })
  return [text(24, top + 20, title, 'title'), ...grid, ...times, ...lines].join('\n')
}

function text(x: number, y: number, words: string, kind: string, anchor = 'start'): string {
  return `<text class="${kind}" x="${x}" y="${y}" text-anchor="${anchor}">${words}</text>`
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

/** Returns the next number with one or two digits that are not zero. */
function roundUp(value: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(value, 1)))
  return Math.ceil(value / unit * 2) / 2 * unit
}
