import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bytesOf, sendBatch } from './batches/batch.js'
import { serverOf, type ServerKey } from './comparison.js'
import { startServer } from './processes.js'
import { runtimeOf } from './runtime.js'
import { WORKLOADS, type Workload } from './workloads.js'

/*
 * Counts instructions and cache misses of a request outside of the system; other work of the machine changes neither.
 * Needs valgrind and the build of an earlier `bench`: `instructions.ts R1.show [Node.js version] [requests]`.
 */

const [, , name = 'R1.show', line, requests = '20000'] = process.argv
const SERVERS: readonly ServerKey[] = ['ours', 'fastify']
const runtime = runtimeOf(line)
const workload = WORKLOADS.find(({ key }) => key.startsWith(name))
if (workload === undefined) throw new Error(`No workload begins with ${name}`)
if (spawnSync('valgrind', ['--version']).error !== undefined) throw new Error('valgrind is not installed')

console.log(`Node.js ${runtime.version}, ${workload.key}, per request:`)
for (const server of SERVERS) {
  // The first requests include the start and the work of the compiler.
  const early = await count(server, workload, Number(requests))
  const late = await count(server, workload, 2 * Number(requests))
  const perRequest = (...events: readonly string[]): string => {
    const counted = events.reduce((sum, event) => sum + late.sum(event) - early.sum(event), 0)
    return Math.round(counted / (late.replies - early.replies)).toLocaleString('en')
  }
  console.log(
    `${server}: ${perRequest('Ir')} instructions, ${perRequest('D1mr', 'D1mw')} misses of a data cache of 32 kB, `
      + `${perRequest('I1mr')} of an instruction cache of 32 kB`,
  )
}

interface Counted {
  readonly replies: number
  readonly sum: (event: string) => number
}

async function count(key: ServerKey, { request, status, shape, resources }: Workload,
  wanted: number): Promise<Counted>
{
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const file = join(folder, 'counts')
  try {
    const flags = [
      '-q',
      '--tool=cachegrind',
      '--cache-sim=yes',
      '--I1=32768,8,64',
      '--D1=32768,8,64',
      '--LL=1048576,16,64',
      '--smc-check=all-non-file',
      `--cachegrind-out-file=${file}`,
      runtime.program,
      // Otherwise the collector and the compiler run beside the requests, as far as there is time.
      '--single-threaded',
    ]
    const server = await startServer(serverOf(key), { resources, shape }, { program: 'valgrind', flags })
    let replies = 0
    while (replies < wanted) {
      replies +=
        (await sendBatch({ port: server.port, requests: [bytesOf(request)], status, seconds: 1, connections: 32 }))
          .replies
    }
    await server.stop()
    const text = readFileSync(file, 'latin1')
    const events = /^events: (.*)$/m.exec(text)?.[1]?.split(' ') ?? []
    const sums = /^summary: (.*)$/m.exec(text)?.[1]?.split(' ').map(Number) ?? []
    return { replies, sum: (event) => sums[events.indexOf(event)] ?? NaN }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
