import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { bytesOf, sendBatch } from './batches/batch.js'
import { serverOf, type ServerKey } from './comparison.js'
import { installed, npm, peers, prepare } from './prepare.js'
import { pathOf, startServer, type ServerProcess } from './processes.js'
import { runtimeOf } from './runtime.js'
import { meanOf, quartilesOf } from './statistics.js'
import { WORKLOADS, type Workload } from './workloads.js'

/*
 * Compares two builds of this package: the processor time of a request with the build in `dist/`, in per cent of the
 * one with a package of before. Both serve the same app, and the same batches in turns, the first one changing. The
 * load of the machine changes both.
 *
 * What the compiler of Node.js makes of one process differs from the next by more than 10 per cent, and stays for the
 * life of that process. So each pair of processes counts once, by the medians of its batches, and many pairs count.
 *
 *   node --import tsx spec/bench/builds.ts before.tgz [pairs] [server] [workload …]
 */

const [archive, pairs = '10', key = 'ours', ...names] = process.argv.slice(2)
if (archive === undefined) throw new Error('Name a package of before: builds.ts before.tgz')
const CHOSEN = ['R1.show', 'R1.list', 'R1.create', 'R2.show', 'R2.list', 'R2.create', 'R5.401@guarded',
  'R5.403@guarded', 'R5.404@guarded', 'R5.422@guarded', 'W5@500']
const CONNECTIONS = 32
const SECONDS = 0.4
/** The batches of each server before those that count, and those that count. */
const WARMING = 6
const COUNTED = 6

const before = pathOf('build/before')
const runtime = runtimeOf(undefined)

await prepare()
rmSync(before, { recursive: true, force: true })
mkdirSync(before, { recursive: true })
writeFileSync(`${before}/package.json`, JSON.stringify({ private: true, type: 'module' }))
await npm(['install', '--prefer-offline', resolve(archive), ...peers], before)
cpSync(`${installed}/servers`, `${before}/servers`, { recursive: true })

console.log(`Node.js ${runtime.version}, ${key}: processor time of a request now, in per cent of before`)
console.log('| workload | median of the pairs | mean and its standard error | before, µs | now, µs |')
console.log('|---|---|---|---|---|')
for (const name of names.length > 0 ? names : CHOSEN) {
  const workload = WORKLOADS.find((known) => known.key.startsWith(name))
  if (workload === undefined) throw new Error(`No workload begins with ${name}`)
  console.log(await compare(workload))
}

async function compare(workload: Workload): Promise<string> {
  const times: [before: number, now: number][] = []
  while (times.length < Number(pairs)) times.push(await comparePair(workload))
  const ratios = times.map(([old, now]) => 100 * now / old)
  const { mean, error } = meanOf(ratios)
  const [median, old, now] = [ratios, times.map(([time]) => time), times.map(([, time]) => time)]
    .map((values) => quartilesOf(values).median.toFixed(1))
  const cells = [workload.key, median, `${mean.toFixed(1)} ± ${error.toFixed(1)}`, old, now]
  return `| ${cells.join(' | ')} |`
}

/** Returns the median time of the counted batches with one process for each build. */
async function comparePair(workload: Workload): Promise<[before: number, now: number]> {
  const servers = [await start(workload, 'build/before/servers'), await start(workload, 'build/installed/servers')]
  const times: [before: number[], now: number[]] = [[], []]
  for (let round = -WARMING; round < COUNTED; round++) {
    for (const turn of round % 2 === 0 ? [0, 1] as const : [1, 0] as const) {
      const time = await timeOf(servers[turn], workload)
      if (round >= 0) times[turn].push(time)
    }
  }
  for (const server of servers) await server.stop()
  return [quartilesOf(times[0]).median, quartilesOf(times[1]).median]
}

function start({ shape, resources }: Workload, folder: string): Promise<ServerProcess> {
  return startServer({ ...serverOf(key as ServerKey), folder }, { shape, resources }, runtime)
}

/** Returns the processor time of a request in one batch, in microseconds. */
async function timeOf(server: ServerProcess | undefined, { request, status }: Workload): Promise<number> {
  if (server === undefined) throw new Error('A server has not started')
  const first = await server.usage()
  const { replies } = await sendBatch({ port: server.port, requests: [bytesOf(request)], status, seconds: SECONDS,
    connections: CONNECTIONS })
  const last = await server.usage()
  return (last.processorTime - first.processorTime) / replies
}
