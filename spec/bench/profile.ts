import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serverOf, type ServerKey } from './comparison.js'
import { load } from './load.js'
import { startServer, type Runtime } from './processes.js'
import { table } from './tables.js'
import type { Workload } from './workloads.js'

interface Profile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
  readonly endTime: number
}

interface Times {
  readonly seconds: number
  readonly warmUp: number
}

/** Prints the functions that use most processor time of a request themselves, without the functions they call. */
export async function profile(
  key: ServerKey,
  workload: Workload,
  { seconds, warmUp }: Times,
  runtime: Runtime,
): Promise<string> {
  const { request, status, title } = workload
  const folder = mkdtempSync(join(tmpdir(), 'bench-profile-'))
  const server = await startServer(serverOf(key), workload, {
    ...runtime,
    flags: ['--cpu-prof', '--cpu-prof-interval', '200', '--cpu-prof-dir', folder],
  })
  const { port } = server
  let cost: number
  try {
    await load({ port, request, status, seconds: warmUp })
    const before = await server.usage()
    const { total } = await load({ port, request, status, seconds })
    cost = ((await server.usage()).processorTime - before.processorTime) / total
  } finally {
    await server.stop()
  }
  const [file = ''] = readdirSync(folder)
  const shares = selfTimes(JSON.parse(readFileSync(join(folder, file), 'utf8')) as Profile, seconds)
  rmSync(folder, { recursive: true })
  const lines = (rows: readonly [string, number][]): string[][] =>
    rows.map(([name, share]) => [(share * cost).toFixed(2), `${(share * 100).toFixed(1)} %`, name])
  return [
    `#### ${title}, ${key}: ${cost.toFixed(1)} µs per request`,
    table(['µs', 'share', 'whose'], lines(byOwner(shares).slice(0, OWNERS))),
    table(['µs', 'share', 'function'], lines(shares.slice(0, FUNCTIONS))),
  ].join('\n\n')
}

const OWNERS = 12
const FUNCTIONS = 30

function byOwner(shares: readonly [string, number][]): [string, number][] {
  const sums = new Map<string, number>()
  for (const [name, share] of shares) {
    const file = / (\S+):\d+$/.exec(name)?.[1]
    const owner = file === undefined
      ? name
      : file.startsWith('node:')
      ? 'node'
      : file.split('/').slice(0, file.startsWith('@') ? 2 : 1).join('/')
    sums.set(owner, (sums.get(owner) ?? 0) + share)
  }
  return [...sums].sort(([, one], [, other]) => other - one)
}

/** Functions by their share of the last seconds in which the process was not idle. */
function selfTimes({ nodes, samples, timeDeltas, endTime }: Profile, seconds: number): [string, number][] {
  const names = new Map(nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]))
  const sums = new Map<string, number>()
  let busy = 0
  let at = endTime
  for (let index = samples.length - 1; index >= 0 && at > endTime - seconds * 1e6; index--) {
    const spent = timeDeltas[index] ?? 0
    const name = names.get(samples[index] ?? 0) ?? ''
    at -= spent
    if (name === '(idle)') continue
    busy += spent
    sums.set(name, (sums.get(name) ?? 0) + spent)
  }
  return [...sums].map(([name, spent]): [string, number] => [name, spent / busy]).sort(([, one], [, other]) =>
    other - one
  )
}

function nameOf({ functionName, url, lineNumber }: Profile['nodes'][number]['callFrame']): string {
  if (url === '' && /[\\^[]/.test(functionName)) return '(regular expressions)'
  const file = url.replace(/^.*\/node_modules\//, '').replace(/^.*\/build\/\w+\//, '')
  return `${functionName || '(anonymous)'}${file === '' ? '' : ` ${file}:${lineNumber + 1}`}`
}
