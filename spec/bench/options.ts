import { parseArgs } from 'node:util'
import { SERVERS, type ServerKey } from './comparison.js'
import { SETS, WORKLOADS, type Workload, type WorkloadSet } from './workloads.js'

export interface Options {
  /** The load of a turn: all that wrk can send, or a short batch, whose figure is the ratio to the turn before it. */
  readonly measure: Measure
  readonly rounds: number
  /** How often each server has the load in a round. */
  readonly turns: number
  /** Seconds of load that count, in each turn; for batches a fraction. */
  readonly seconds: number
  /** Seconds of load before them. */
  readonly warmUp: number
  readonly sets: readonly WorkloadSet[]
  readonly workloads: readonly Workload[]
  readonly servers: readonly ServerKey[]
  /** The release line of Node.js for the servers, such as `22`; by default the current one. */
  readonly node: string | undefined
  /** The parts to measure; a profile only if requested. */
  readonly parts: readonly Part[]
  /** The rate at which delays are measured, as a share of what Fastify handles. */
  readonly latencyShare: number
  /** Seconds for which the delays of each server are measured. */
  readonly latencySeconds: number
  /** Uses the build and the installation of the last run. */
  readonly prepared: boolean
  readonly checkOnly: boolean
  /** Writes the tables into README.md. */
  readonly write: boolean
  /** Draws chart.svg. */
  readonly chart: boolean
}

export type Measure = typeof MEASURES[number]
export type Part = typeof PARTS[number]

const MEASURES = ['load', 'paired'] as const
const PARTS = ['load', 'latency', 'sizes', 'profile'] as const

/** Parses the flags of the command, and throws for an invalid one. */
export function optionsOf(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      measure: { type: 'string', default: 'load' },
      set: { type: 'string', default: 'basic' },
      rounds: { type: 'string', default: '3' },
      turns: { type: 'string' },
      seconds: { type: 'string' },
      'warm-up': { type: 'string', default: '1' },
      only: { type: 'string' },
      servers: { type: 'string' },
      node: { type: 'string' },
      parts: { type: 'string' },
      'latency-share': { type: 'string', default: '0.7' },
      'latency-seconds': { type: 'string', default: '20' },
      prepared: { type: 'boolean', default: false },
      check: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      chart: { type: 'boolean', default: false },
    },
  })
  const measure = MEASURES.find((name) => name === values.measure)
  if (measure === undefined) throw new Error(`--measure takes ${MEASURES.join(' or ')}`)
  const paired = measure === 'paired'
  const sets = setsOf(values.set)
  return {
    measure,
    rounds: wholeNumber('rounds', values.rounds),
    turns: wholeNumber('turns', values.turns ?? (paired ? '12' : '5')),
    seconds: paired ? fraction('seconds', values.seconds ?? '0.3') : wholeNumber('seconds', values.seconds ?? '1'),
    warmUp: wholeNumber('warm-up', values['warm-up']),
    sets,
    workloads: sets.flatMap((set) => SETS[set]).filter(chosen('only', values.only, namesOfWorkload)),
    servers: SERVERS.map(({ key }) => key).filter(chosen('servers', values.servers, (key) => [key])),
    node: values.node,
    parts: PARTS.filter(chosen('parts', values.parts ?? (paired ? 'load' : 'load,latency,sizes'), (part) => [part])),
    latencyShare: fraction('latency-share', values['latency-share']),
    latencySeconds: wholeNumber('latency-seconds', values['latency-seconds']),
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
      ...WORKLOADS.flatMap(namesOfWorkload),
      ...SERVERS.map(({ key }) => key),
      ...PARTS,
    ])
    const unknown = wanted.find((name) => !known.has(name))
    if (unknown !== undefined) throw new Error(`--${flag} does not know ${unknown}; there are ${[...known].join(', ')}`)
    return (item) => namesOf(item).some((name) => wanted.includes(name))
  }
}

/** Returns the names that select a workload, such as `R5.404@guarded`, `R5.404`, `R5@guarded` and `R5`. */
function namesOfWorkload({ key }: Workload): string[] {
  return [key, ...[/@.*/, /\.[^@]*/, /[./@].*/].map((omitted) => key.replace(omitted, ''))]
}

function setsOf(list: string): WorkloadSet[] {
  const known = Object.keys(SETS) as WorkloadSet[]
  return list.split(',').map((wanted) => {
    const set = known.find((name) => name === wanted)
    if (set === undefined) throw new Error(`--set takes ${known.join(', ')}, not ${wanted}`)
    return set
  })
}

function fraction(flag: string, text: string): number {
  if (!/^\d+(\.\d+)?$/.test(text) || Number(text) === 0)
    throw new Error(`--${flag} takes a number above 0, not ${text}`)
  return Number(text)
}

function wholeNumber(flag: string, text: string): number {
  if (!/^[1-9]\d*$/.test(text)) throw new Error(`--${flag} takes a whole number from 1, not ${text}`)
  return Number(text)
}
