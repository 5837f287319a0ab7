import { writeFileSync } from 'node:fs'
import { NODE_VERSIONS, nodeProgram } from '../support/node-versions.js'
import { chart, CHARTED } from './chart.js'
import { checkReplies } from './check-replies.js'
import { generator } from './load.js'
import { atRate, inTurns, saturate, type Results, type Turn } from './measure.js'
import { optionsOf } from './options.js'
import { prepare } from './prepare.js'
import { pathOf, type Runtime } from './processes.js'
import { profile } from './profile.js'
import { sizes } from './sizes.js'
import { spreadOf } from './statistics.js'
import { latencyTable, loadTables, memoryTable } from './tables.js'
import { WORKLOADS } from './workloads.js'
import { writeReadme } from './write-readme.js'

/* One blog-like app on this package and on others, after a check that all reply alike: see README.md for the flags. */

const options = optionsOf(process.argv.slice(2))
const { rounds, turns, workloads, servers, seconds } = options
const runtime = runtimeOf(options.node)
if (!options.prepared) await prepare()
await checkReplies(servers, workloads, runtime)
console.error(`${servers.length} servers reply alike`)
if (!options.checkOnly) await measure()

async function measure(): Promise<void> {
  const sections = [
    `Node.js ${runtime.version}; ${rounds} rounds of ${turns} turns of ${seconds} s after ${options.warmUp} s to warm up; load by ${generator}; ${
      new Date().toISOString().slice(0, 10)
    }.`,
  ]
  let results: Results<Turn> = new Map()
  if (options.parts.includes('load')) {
    results = await inTurns({ ...options, runtime }, (server, workload) => saturate(server, workload, seconds))
    sections.push(loadTables(workloads, results))
    const show = results.get('W1')
    if (show !== undefined) sections.push(`#### Memory\n\n${memoryTable(show)}`)
  }
  if (options.parts.includes('latency') && generator === 'wrk') sections.push(await latency(results))
  if (options.parts.includes('sizes')) sections.push(await sizes(servers, rounds, runtime))
  if (options.parts.includes('profile')) {
    for (const workload of workloads) {
      for (const key of servers) sections.push(await profile(key, workload, options, runtime))
    }
  }
  console.log(sections.join('\n\n'))
  if (options.write) writeReadme(runtime.version.split('.', 1)[0] ?? '', sections.join('\n\n'))
  if (options.chart && CHARTED.every((key) => results.has(key))) {
    writeFileSync(
      pathOf('chart.svg'),
      chart(results, runtime.version),
    )
  }
}

/** The rate is half the maximum of the slowest server. */
async function latency(results: Results<Turn>): Promise<string> {
  const medians = [...results.get('W1')?.values() ?? []].map((measured) =>
    spreadOf(measured.map(({ perSecond }) => perSecond)).median
  )
  const rate = Math.min(4000, ...medians.map((median) => Math.floor(median / 2)))
  const delays = await inTurns(
    { ...options, runtime, workloads: WORKLOADS.filter(({ key }) => key === 'W1') },
    (server, workload) => atRate(server, workload, rate, seconds),
  )
  return `#### W1 at the same rate for all, ${rate} requests/s\n\n${latencyTable(delays.get('W1') ?? new Map())}`
}

function runtimeOf(line: string | undefined): Runtime {
  if (line === undefined || process.versions.node.startsWith(`${line}.`)) {
    return {
      program: process.execPath,
      version: process.versions.node,
    }
  }
  const version = NODE_VERSIONS.find((known) => known.startsWith(`${line}.`))
  if (version === undefined) {
    throw new Error(`--node takes one of ${NODE_VERSIONS.map((known) => known.split('.', 1)[0]).join(', ')}`)
  }
  return { program: nodeProgram(version, pathOf('build')), version }
}
