import { installed } from './prepare.js'
import { outputOf, pinned, type Runtime } from './processes.js'
import { show, spreadOf } from './statistics.js'
import { table } from './tables.js'

interface Imported {
  readonly milliseconds: number
  readonly processorTime: number
  readonly memory: number
}

const WAYS = { 'express + zod': ['express', 'zod'], 'resourcery, which imports both': ['resourcery'] } as const

/** Compares loading the package with loading its dependencies, each in a new process. */
export async function importTime(rounds: number, runtime: Runtime): Promise<string> {
  const measured = new Map<string, Imported[]>(Object.keys(WAYS).map((way) => [way, []]))
  for (let round = 0; round < rounds; round++) {
    for (const [way, names] of Object.entries(WAYS)) measured.get(way)?.push(await imported(names, runtime))
  }
  const [base, ...others] = [...measured].map(([way, all]) => ({
    way,
    time: spreadOf(all.map(({ milliseconds }) => milliseconds)),
    cost: spreadOf(all.map(({ processorTime }) => processorTime / 1000)),
    memory: spreadOf(all.map(({ memory }) => memory / 1e6)),
  }))
  if (base === undefined) return ''
  const ratio = (mine: number, other: number): string => (mine / other).toFixed(2)
  return table(
    ['import', 'ms', 'ms of processor time', 'MB resident', 'ratio: ms · processor time · MB'],
    [base, ...others].map(({ way, time, cost, memory }) => [
      way,
      show(time),
      show(cost),
      show(memory),
      [
        ratio(time.median, base.time.median),
        ratio(cost.median, base.cost.median),
        ratio(memory.median, base.memory.median),
      ]
        .join(' · '),
    ]),
  )
}

async function imported(names: readonly string[], { program }: Runtime): Promise<Imported> {
  const script = `
    const [from, { user, system }] = [performance.now(), process.cpuUsage()]
    for (const name of ${JSON.stringify(names)}) await import(name)
    const after = process.cpuUsage()
    console.log(JSON.stringify({ milliseconds: performance.now() - from, processorTime: after.user + after.system - user - system, memory: process.memoryUsage.rss() }))`
  const [command, args] = pinned(0, [program, '--input-type=module', '--eval', script])
  return JSON.parse(await outputOf(command, args, { cwd: installed })) as Imported
}
