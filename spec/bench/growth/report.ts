import type { ServerKey } from '../comparison.js'
import type { Quartiles } from '../statistics.js'
import { table } from '../tables.js'
import type { GrowthKind } from './kinds.js'
import { lineChart, type Line } from './line-chart.js'

/** One server with one size. */
export interface Grown {
  readonly key: ServerKey
  readonly size: number
  /** Milliseconds of processor time until it listens. */
  readonly start: number
  /** Milliseconds of processor time of the first request. */
  readonly first: number
  /** Megabytes that are resident when it listens, and after the load. */
  readonly memory: number
  readonly memoryAfter: number
  /** Microseconds of processor time per request. */
  readonly cost: Quartiles
}

interface Figure {
  /** The name of its file after the shape. */
  readonly suffix: string
  readonly title: string
  readonly y: string
  readonly valueOf: (grown: Grown) => number
  readonly digits: number
}

const COST: Figure = {
  suffix: '',
  title: '',
  y: 'µs of processor time per request',
  valueOf: ({ cost }) => cost.median,
  digits: 1,
}
/** The figures beside the cost of a request. */
const FIGURES: Partial<Record<GrowthKind['shape'], readonly Figure[]>> = {
  routes: [
    { suffix: '-start', title: 'Starting', y: 'ms of processor time', valueOf: ({ start }) => start, digits: 0 },
    { suffix: '-memory', title: 'Memory after the start', y: 'MB resident', valueOf: ({ memory }) => memory,
      digits: 0 },
  ],
  documents: [{
    suffix: '-first',
    title: 'Making an OpenAPI document',
    y: 'ms of processor time of the first reply',
    valueOf: ({ first }) => first,
    digits: 1,
  }],
  cursors: [{
    suffix: '-memory',
    title: 'Memory with open cursors',
    y: 'MB resident after the load',
    valueOf: ({ memoryAfter }) => memoryAfter,
    digits: 0,
  }],
}

const LABELS: Partial<Record<ServerKey, readonly [string, Line['kind']]>> = {
  ours: ['resourcery', 'ours'],
  fastify: ['Fastify', 'fastify'],
  express: ['Express by hand', 'express'],
}

/** Returns the tables of one kind of growth, and its charts by name. */
export function report(
  kind: GrowthKind,
  grown: readonly Grown[],
): { readonly text: string; readonly charts: Readonly<Record<string, string>> } {
  const figures = [{ ...COST, title: kind.title }, ...FIGURES[kind.shape] ?? []]
  const charts: Record<string, string> = {}
  const parts = figures.map((figure) => {
    const name = `${kind.shape}${figure.suffix}`
    const lines = linesOf(grown, figure)
    charts[name] = lineChart({ title: figure.title, x: kind.unit, y: figure.y, lines })
    return `![${figure.title}, by the number of ${kind.unit}](${name}.svg)\n\n${figure.title}: ${figure.y}.\n\n${
      tableOf(kind, lines, figure.digits)
    }`
  })
  return { text: parts.join('\n\n'), charts }
}

function linesOf(grown: readonly Grown[], { valueOf }: Figure): Line[] {
  return Object.entries(LABELS).flatMap(([key, [label, kind]]) => {
    const points = grown.filter((one) => one.key === key).map((one) => [one.size, valueOf(one)] as const)
    return points.length === 0 ? [] : [{ label, kind, points }]
  })
}

function tableOf({ unit }: GrowthKind, lines: readonly Line[], digits: number): string {
  const sizes = lines[0]?.points.map(([size]) => size) ?? []
  return table(
    ['server', ...sizes.map((size) => `${size.toLocaleString('en')} ${unit}`), 'exponent at the end'],
    lines.map(({ label, points }) => [
      label,
      ...points.map(([, value]) => value.toLocaleString('en', { maximumFractionDigits: digits })),
      exponentOf(points).toFixed(2),
    ]),
  )
}

/** Returns the exponent of the growth between the two largest sizes: 0 is constant, 1 linear, 2 quadratic. */
export function exponentOf(points: Line['points']): number {
  const [[size, value] = [NaN, NaN], [larger, most] = [NaN, NaN]] = points.slice(-2)
  return Math.log(most / value) / Math.log(larger / size)
}
