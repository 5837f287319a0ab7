// Measures the cost of uploads and what remains of them: `node --import tsx spec/bench/upload/run.ts`. Needs Linux, for
// its list of descriptors.
import { fork, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { abandon, exchange, textRequest, uploadRequest } from './requests.js'

const scratch = mkdtempSync(join(tmpdir(), 'upload-bench-'))
const [files, plain, temporary] = ['files', 'plain', 'temporary'].map((name) => join(scratch, name)) as [
  string,
  string,
  string,
]
for (const folder of [files, plain, temporary]) mkdirSync(folder)

interface Figures {
  readonly rss: number
  readonly peak: number
  readonly descriptors: number
}

const MB = 1_000_000
const inMb = (bytes: number): string => `${Math.round(bytes / MB)} MB`
const print = (...cells: (string | number)[]): void => console.log(`| ${cells.join(' | ')} |`)

const { server, port } = await start()
try {
  print('what', 'how many', 'result')
  print('---', '---', '---')
  await nastyNames()
  await leftovers()
  await crashes()
  await parallel()
  await throughput()
} finally {
  server.kill()
  rmSync(scratch, { recursive: true })
}

async function start(): Promise<{ server: ChildProcess; port: number }> {
  const child = fork(new URL('server.ts', import.meta.url), [files, plain], {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, TMPDIR: temporary },
  })
  const [listening] = await once(child, 'message') as [number]
  return { server: child, port: listening }
}

async function figures(): Promise<Figures> {
  return await (await fetch(`http://127.0.0.1:${port}/figures`, { headers: { connection: 'close' } })).json() as Figures
}

/** Sends field names that block a careless parser, while another client sends a request every 20 ms. */
async function nastyNames(): Promise<void> {
  let held = 0
  const asking = setInterval(() => {
    const from = performance.now()
    void fetch(`http://127.0.0.1:${port}/`).then(() => (held = Math.max(held, performance.now() - from)))
  }, 20)
  let slowest = 0
  const statuses = new Set<string>()
  for (let round = 0; round < 50; round++) {
    for (const names of [['a[4294967294]', 'a[x]'], ['a[9999999]'], ['__proto__[x]'], [`a${'[]'.repeat(40)}`]]) {
      const from = performance.now()
      statuses.add((await exchange(port, textRequest('/save', names))).slice(9, 12))
      slowest = Math.max(slowest, performance.now() - from)
    }
  }
  clearInterval(asking)
  print(
    'nasty names',
    200,
    `status ${[...statuses].join()}; slowest ${slowest.toFixed(0)} ms; another caller waited ${
      held.toFixed(0)
    } ms at most`,
  )
}

/** Sends requests that fail, ten at a time, and counts what remains. */
async function leftovers(): Promise<void> {
  await exchange(port, uploadRequest('/failing', 1000).request)
  const before = await figures()
  const cases: readonly [string, number, (at: number) => Promise<unknown>][] = [
    [
      'aborted at 0, 1, 50, 99 %',
      200,
      (at) =>
        abandon(port, uploadRequest('/save', at % 8 < 4 ? 100_000 : 2 * MB).request, [0, 0.01, 0.5, 0.99][at % 4] ?? 0),
    ],
    [
      'refused after storing',
      200,
      (at) => exchange(port, uploadRequest('/refuse', at % 2 === 0 ? 100_000 : 2 * MB).request),
    ],
    [
      'storage fails or hangs',
      50,
      (at) => exchange(port, uploadRequest(at % 2 === 0 ? '/failing' : '/hanging', MB).request),
    ],
  ]
  for (const [what, count, run] of cases) {
    for (let at = 0; at < count; at += 10) await Promise.all(Array.from({ length: 10 }, (_, one) => run(at + one)))
    const after = await settled(before)
    print(
      what,
      count,
      `files ${
        readdirSync(files).length
      }; temporary ${temporaryFiles()}; descriptors ${before.descriptors} -> ${after.descriptors}`,
    )
  }
}

/** The compiler that runs these scripts creates a folder in the same place. */
function temporaryFiles(): number {
  return readdirSync(temporary).filter((name) => !name.startsWith('tsx-')).length
}

/** Kills processes while they receive or store 20 MB. */
async function crashes(): Promise<void> {
  let left = 0
  for (let at = 0; at < 20; at++) {
    const victim = await start()
    const sending = exchange(victim.port, uploadRequest('/save', 20 * MB).request)
    await new Promise((resolve) => setTimeout(resolve, 10 + 10 * at))
    const ended = once(victim.server, 'exit')
    victim.server.kill('SIGKILL')
    await Promise.all([sending, ended])
    left += temporaryFiles()
  }
  const unfinished = (): number => readdirSync(files).filter((name) => name.endsWith('.part')).length
  const before = unfinished()
  const next = await start()
  await exchange(next.port, uploadRequest('/refuse', 1000).request)
  next.server.kill()
  print(
    'killed half-way',
    20,
    `temporary ${left} at once; unfinished in the folder ${before}, after the next start ${unfinished()}`,
  )
  for (const name of readdirSync(files)) rmSync(join(files, name))
}

/** Descriptors are closed a moment after the reply. */
async function settled(before: Figures): Promise<Figures> {
  for (let attempt = 0; attempt < 50; attempt++) {
    const now = await figures()
    if (now.descriptors <= before.descriptors && readdirSync(files).length === 0) return now
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return figures()
}

async function parallel(): Promise<void> {
  const { rss } = await figures()
  const uploads = Array.from({ length: 50 }, () => uploadRequest('/save', 20 * MB))
  const replies = await Promise.all(uploads.map(({ request }) => exchange(port, request)))
  const { peak } = await figures()
  const stored = new Set(
    readdirSync(files).map((name) => createHash('sha256').update(readFileSync(join(files, name))).digest('hex')),
  )
  const same = uploads.filter(({ hash }) => stored.has(hash)).length
  const ok = replies.filter((reply) => reply.startsWith('HTTP/1.1 200')).length
  print(
    '20 MB in parallel',
    50,
    `${ok} replied 200, ${same} stored byte for byte; memory ${inMb(rss)} before, ${inMb(peak)} at most`,
  )
}

/** Uploads 20 MB in turns to the package and to plain multer, each to disk. */
async function throughput(): Promise<void> {
  const times = { '/read': [] as number[], '/multer': [] as number[] }
  for (let round = 0; round < 34; round++) {
    for (const path of ['/read', '/multer'] as const) {
      const { request } = uploadRequest(path, 20 * MB)
      const from = performance.now()
      await exchange(port, request)
      if (round >= 4) times[path].push(performance.now() - from)
    }
  }
  const [ours, bare] = [median(times['/read']), median(times['/multer'])]
  print(
    '20 MB, one at a time',
    '30 each',
    `ours ${(20_000 / ours).toFixed(0)} MB/s, bare multer to disk ${(20_000 / bare).toFixed(0)} MB/s: ${
      (bare / ours).toFixed(2)
    }`,
  )
}

function median(times: number[]): number {
  return times.sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? NaN
}
