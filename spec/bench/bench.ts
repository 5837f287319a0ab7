import { checkReplies } from './check-replies.js'
import { generator } from './load.js'
import { atRate, inTurns, saturate } from './measure.js'
import { optionsOf } from './options.js'
import { pathOf, type Runtime } from './processes.js'
import { prepare } from './prepare.js'
import { profile } from './profile.js'
import { spreadOf } from './statistics.js'
import { latencyTable, loadTables, memoryTable } from './tables.js'
import { WORKLOADS } from './workloads.js'
import { NODE_VERSIONS, nodeProgram } from '../support/node-versions.js'

/* One blog-like app on this package and on others: `npm run bench -- --help` says what can be chosen. */

const options = optionsOf(process.argv.slice(2))
const { rounds, workloads, servers } = options
const runtime = runtimeOf(options.node)
if (!options.prepared) await prepare()

await checkReplies(servers, workloads, runtime)
console.error(`${servers.length} servers reply alike`)
if (options.checkOnly) process.exit()

const sections = [`Node.js ${runtime.version}, ${rounds} rounds of ${options.seconds} s after ${options.warmUp} s to warm up, load by ${generator}.`]
let slowest = Infinity
if (options.parts.includes('load')) {
  const results = await inTurns({ rounds, workloads, servers }, (key, workload) => saturate(key, workload, options, runtime))
  sections.push(loadTables(workloads, results))
  const show = results.get('W1')
  if (show !== undefined) {
    sections.push(memoryTable(show))
    slowest = Math.min(...[...show.values()].map((measured) => spreadOf(measured.map(({ perSecond }) => perSecond)).median))
  }
}
if (options.parts.includes('latency')) {
  const rate = Math.min(4000, Math.floor(slowest / 2))
  const show = WORKLOADS.filter(({ key }) => key === 'W1')
  const results = await inTurns({ rounds, workloads: show, servers }, (key, workload) => atRate(key, workload, rate, options, runtime))
  sections.push(`#### W1 at the same rate for all\n\n${latencyTable(results.get('W1') ?? new Map())}`)
}
if (options.parts.includes('profile')) {
  for (const workload of workloads) for (const key of servers) sections.push(await profile(key, workload, options, runtime))
}
console.log(sections.join('\n\n'))

function runtimeOf(line: string | undefined): Runtime {
  if (line === undefined || process.versions.node.startsWith(`${line}.`)) return { program: process.execPath, version: process.versions.node }
  const version = NODE_VERSIONS.find((known) => known.startsWith(`${line}.`))
  if (version === undefined) throw new Error(`--node takes one of ${NODE_VERSIONS.map((known) => known.split('.', 1)[0]).join(', ')}`)
  return { program: nodeProgram(version, pathOf('build')), version }
}
