import { parseArgs } from 'node:util'
import { SERVERS, type ServerKey } from './comparison.js'
import { WORKLOADS, type Workload } from './workloads.js'

export interface Options {
  readonly rounds: number
  /** How often each server has the load in a round. */
  readonly turns: number
  /** Seconds of load that count, in each turn. */
  readonly seconds: number
  /** Seconds of load before them. */
  readonly warmUp: number
  readonly workloads: readonly Workload[]
  readonly servers: readonly ServerKey[]
  /** The release line of Node.js for the servers, such as `22`; by default the current one. */
  readonly node: string | undefined
  /** The parts to measure; a profile only if requested. */
  readonly parts: readonly Part[]
  /** Uses the build and the installation of the last run. */
  readonly prepared: boolean
  readonly checkOnly: boolean
  /** Writes the tables into README.md. */
  readonly write: boolean
  /** Draws chart.svg. */
  readonly chart: boolean
}

export type Part = typeof PARTS[number]

const PARTS = ['load', 'latency', 'sizes', 'profile'] as const

/** Parses the flags of the command, and throws for an invalid one. */
export function optionsOf(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rounds: { type: 'string', default: '3' },
      turns: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '1' },
      'warm-up': { type: 'string', default: '1' },
      only: { type: 'string' },
      servers: { type: 'string' },
      node: { type: 'string' },
      parts: { type: 'string', default: 'load,latency,sizes' },
      prepared: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      chart: { type: 'boolean', default: false },
    },
  })
  return {
    rounds: wholeNumber('rounds', values.rounds),
    turns: wholeNumber('turns', values.turns),
    seconds: wholeNumber('seconds', values.seconds),
    warmUp: wholeNumber('warm-up', values['warm-up']),
    workloads: WORKLOADS.filter(chosen('only', values.only, ({ key }) => [key, key.split('@', 1)[0] ?? key])),
    servers: SERVERS.map(({ key }) => key).filter(chosen('servers', values.servers, (key) => [key])),
    node: values.node,
    parts: PARTS.filter(chosen('parts', values.parts, (part) => [part])),
    prepared: values.prepared,
    checkOnly: values.check,
    write: values.write,
    chart: values.chart,
  }

  function chosen<T>(
    flag: string,
    list: string | undefined,
    namesOf: (item: T) => readonly string[],
  ): (item: T) => boolean {
    if (list === undefined) return () => true
    const wanted = list.split(',')
    const known = new Set<string>([
      ...WORKLOADS.flatMap(({ key }) => [key, key.split('@', 1)[0] ?? key]),
      ...SERVERS.map(({ key }) => key),
      ...PARTS,
    ])
    const unknown = wanted.find((name) => !known.has(name))
    if (unknown !== undefined) throw new Error(`--${flag} does not know ${unknown}; there are ${[...known].join(', ')}`)
    return (item) => namesOf(item).some((name) => wanted.includes(name))
  }
}

function wholeNumber(flag: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${flag} takes a whole number from 1, not ${text}`)
  return Number(text)
}
