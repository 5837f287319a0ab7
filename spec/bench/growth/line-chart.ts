export interface Line {
  readonly label: string
  /** One class of the style sheet for each server. */
  readonly kind: 'ours' | 'fastify' | 'express'
  /** Pairs of size and value, ascending by size. */
  readonly points: readonly (readonly [size: number, value: number])[]
}

export interface LineChart {
  readonly title: string
  readonly x: string
  readonly y: string
  readonly lines: readonly Line[]
}

const [WIDTH, HEIGHT] = [760, 400]
const [LEFT, RIGHT, TOP, BOTTOM] = [84, 150, 76, 60]
/** The least distance between two labels of lines, in pixels. */
const APART = 17

const STYLE = `
  .card { fill: #ffffff; stroke: #d0d7de } text { fill: #1f2328; font: 13px system-ui, sans-serif } .title { font-weight: 600 }
  .grid { stroke: #d0d7de; stroke-width: 1 } .tick { fill: #59636e; font-size: 12px }
  .line { fill: none; stroke-width: 2.5 } .ours { stroke: #0969da } .fastify { stroke: #bc4c00 } .express { stroke: #59636e }
  circle.ours { fill: #0969da } circle.fastify { fill: #bc4c00 } circle.express { fill: #59636e }
  @media (prefers-color-scheme: dark) { .card { fill: #0d1117; stroke: #3d444d } text { fill: #e6edf3 } .grid { stroke: #3d444d } .tick { fill: #9198a1 }
    .ours { stroke: #4493f8 } .fastify { stroke: #f0883e } .express { stroke: #9198a1 }
    circle.ours { fill: #4493f8 } circle.fastify { fill: #f0883e } circle.express { fill: #9198a1 } }
`

/** Draws lines over two logarithmic axes, on a background that suits light and dark pages. */
export function lineChart({ title, x, y, lines }: LineChart): string {
  const points = lines.flatMap((line) => line.points)
  const sizes = [...new Set(points.map(([size]) => size))].sort((one, other) => one - other)
  const values = points.map(([, value]) => value)
  const decades = decadesOf(Math.min(...values), Math.max(...values))
  const [first = 1, last = 1] = [sizes[0], sizes.at(-1)]
  const [low = 1, high = 10] = [decades[0], decades.at(-1)]
  const place = (share: number, from: number, to: number): number => Math.round((from + share * (to - from)) * 10) / 10
  const across = (size: number): number => place(shareOf(size, first, last), LEFT, WIDTH - RIGHT)
  const up = (value: number): number => place(shareOf(value, low, high), HEIGHT - BOTTOM, TOP)
  const ends = spread(lines.map((line) => up(line.points.at(-1)?.[1] ?? low)))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" width="${WIDTH}" height="${HEIGHT}" role="img" aria-label="${title}">
<style>${STYLE}</style>
<rect class="card" x="0.5" y="0.5" width="${WIDTH - 1}" height="${HEIGHT - 1}" rx="8"/>
${text(24, 30, title, 'title')}
${text(24, 49, `${y}, logarithmic`, 'tick')}
${
    decades.map((decade) => {
      const at = up(decade)
      return `<line class="grid" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${at}" y2="${at}"/>${
        text(LEFT - 10, at + 4, shown(decade), 'tick', 'end')
      }`
    }).join('\n')
  }
${sizes.map((size) => text(across(size), HEIGHT - BOTTOM + 20, shown(size), 'tick', 'middle')).join('\n')}
${text(place(0.5, LEFT, WIDTH - RIGHT), HEIGHT - 16, `${x}, logarithmic`, 'tick', 'middle')}
${
    lines.map(({ label, kind, points: drawn }, index) =>
      [
        `<polyline class="line ${kind}" points="${
          drawn.map(([size, value]) => `${across(size)},${up(value)}`).join(' ')
        }"/>`,
        ...drawn.map(([size, value]) => `<circle class="${kind}" cx="${across(size)}" cy="${up(value)}" r="3.5"/>`),
        text(across(drawn.at(-1)?.[0] ?? first) + 10, (ends[index] ?? 0) + 4, label, ''),
      ].join('')
    ).join('\n')
  }
</svg>
`
}

/** Returns the powers of ten around a range. */
export function decadesOf(least: number, most: number): number[] {
  const [from, to] = [Math.floor(Math.log10(least)), Math.ceil(Math.log10(most))]
  return Array.from({ length: Math.max(1, to - from) + 1 }, (_, at) => 10 ** (from + at))
}

function shareOf(value: number, low: number, high: number): number {
  return high === low ? 0.5 : Math.log(value / low) / Math.log(high / low)
}

/** Moves labels apart that would overlap, and keeps their order. */
export function spread(heights: readonly number[]): number[] {
  const placed = heights.map((height, at) => ({ height, at })).sort((one, other) => one.height - other.height)
  for (let index = 1; index < placed.length; index++) {
    const [above, own] = [placed[index - 1], placed[index]]
    if (above !== undefined && own !== undefined) own.height = Math.max(own.height, above.height + APART)
  }
  return heights.map((_, at) => placed.find((one) => one.at === at)?.height ?? 0)
}

/** `1,000`, `0.1`, `10 k` are written the same in every chart: numbers from 10,000 with a suffix. */
function shown(value: number): string {
  if (value >= 1e6) return `${value / 1e6} M`
  if (value >= 1e4) return `${value / 1e3} k`
  return value.toLocaleString('en', { maximumSignificantDigits: 3 })
}

function text(x: number, y: number, words: string, kind: string, anchor = 'start'): string {
  return `<text x="${x}" y="${y}"${kind === '' ? '' : ` class="${kind}"`}${
    anchor === 'start' ? '' : ` text-anchor="${anchor}"`
  }>${words}</text>`
}
