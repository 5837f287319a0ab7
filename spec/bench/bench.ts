import { writeFileSync } from 'node:fs'
import { chart, CHARTED, ratioChart } from './chart.js'
import { checkReplies } from './check-replies.js'
import { latency } from './latency.js'
import { generator } from './load.js'
import { batch, inTurns, saturate, type Results, type Turn } from './measure.js'
import { optionsOf } from './options.js'
import { prepare } from './prepare.js'
import { pathOf } from './processes.js'
import { profile } from './profile.js'
import { runtimeOf } from './runtime.js'
import { sizes } from './sizes.js'
import { loadTables, memoryTable, pairedTable } from './tables.js'
import { writeSection } from './write-readme.js'

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
    const turn = options.measure === 'paired' ? batch : saturate
    results = await inTurns({ ...options, runtime }, (server, workload) => turn(server, workload, seconds))
    sections.push(
      options.measure === 'paired' ? pairedTable(workloads, servers, results) : loadTables(workloads, results),
    )
    const show = results.get('W1')
    if (show !== undefined) sections.push(`#### Memory\n\n${memoryTable(show)}`)
  }
  if (options.parts.includes('latency')) {
    sections.push(await latency({ ...options, runtime }, options.latencyShare, options.latencySeconds))
  }
  if (options.parts.includes('sizes')) sections.push(await sizes(servers, rounds, runtime))
  if (options.parts.includes('profile')) {
    for (const workload of workloads) {
      for (const key of servers) sections.push(await profile(key, workload, options, runtime))
    }
  }
  console.log(sections.join('\n\n'))
  if (options.write) writeSection('README.md', sectionName(), sections.join('\n\n'))
  if (options.chart && options.measure === 'paired') {
    writeFileSync(pathOf('ratios.svg'), ratioChart(workloads, results, runtime.version))
  } else if (options.chart && CHARTED.every((key) => results.has(key))) {
    writeFileSync(
      pathOf('chart.svg'),
      chart(results, runtime.version),
    )
  }
}

/** The tables of each set and way of measuring have a section of their own. */
function sectionName(): string {
  const details = [...options.sets.filter((set) => set !== 'basic'),
    ...(options.measure === 'load' ? [] : [options.measure])]
  return [`Node.js ${runtime.version.split('.', 1)[0] ?? ''}`, ...details].join(', ')
}
