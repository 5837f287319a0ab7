import { once } from 'node:events'
import { Session } from 'node:inspector/promises'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import express from 'express'
import { z } from 'zod'
import { crud } from 'resourcery/crud'
import { mountResource, serve } from 'resourcery'
import { memoryStore } from 'resourcery/crud'

/*
 * A program: prints the files of lib/ that run code, in the order of their first call, for a `GET /posts/1` of a crud
 * record on the plain path, and for mounting a resource with one handler. With `RESOURCERY_FAST=off` the index of the
 * fast path is left out too. Loading the files does not count: each case has run before.
 *
 *   RESOURCERY_FAST=off node --import tsx spec/bench/files.ts
 */

const lib = new URL('../../lib/', import.meta.url).href

interface Location {
  readonly scriptId: string
  readonly lineNumber: number
  readonly columnNumber?: number
}

/** A function that ran. */
interface Called {
  readonly file: string
  readonly name: string
  readonly scriptId: string
  /** In the source that the engine runs. */
  readonly from: number
  readonly to: number
}

const session = new Session()
session.connect()

/**
 * Returns the functions of lib/ that run during a call of `run`, after a few calls, so that nothing runs for the first
 * time.
 */
async function calledBy(run: () => unknown): Promise<Called[]> {
  for (let call = 0; call < WARM_UP; call++) await run()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage')
  await run()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  return result.filter(({ url }) => url.startsWith(lib)).flatMap(({ url, scriptId, functions }) =>
    functions.flatMap(({ functionName, ranges }) => {
      const [range] = ranges
      const file = fileURLToPath(url).slice(fileURLToPath(lib).length)
      return range === undefined || range.count === 0 || functionName === '__name'
        ? []
        : [{ file, name: functionName, scriptId, from: range.startOffset, to: range.endOffset }]
    })
  )
}

const WARM_UP = 20

/**
 * Returns the indexes of the functions in the order of their first call, by a breakpoint in each whose condition never
 * holds.
 */
async function inOrder(functions: readonly Called[], run: () => unknown): Promise<readonly number[]> {
  const order: number[] = []
  Object.assign(globalThis, { calledFunctions: order })
  await session.post('Debugger.enable')
  for (const [index, { scriptId, from, to }] of functions.entries()) {
    const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId })
    const range = { start: locationOf(scriptId, scriptSource, from), end: locationOf(scriptId, scriptSource, to) }
    const { locations } = await session.post('Debugger.getPossibleBreakpoints', { ...range, restrictToFunction: true })
    for (const location of locations.slice(0, 1)) {
      await session.post('Debugger.setBreakpoint', { location, condition: `(calledFunctions.push(${index}), false)` })
    }
  }
  await run()
  await session.post('Debugger.disable')
  return [...new Set(order)]
}

function locationOf(scriptId: string, source: string, offset: number): Location {
  const before = source.slice(0, offset).split('\n')
  return { scriptId, lineNumber: before.length - 1, columnNumber: before.at(-1)?.length ?? 0 }
}

async function report(title: string, run: () => unknown): Promise<void> {
  const functions = await calledBy(run)
  const order = await inOrder(functions, run)
  const rest = functions.map((_, index) => index).filter((index) => !order.includes(index))
  const byFile = new Map<string, string[]>()
  for (const index of [...order, ...rest]) {
    const { file, name } = functions[index] ?? { file: '', name: '' }
    byFile.set(file, [...byFile.get(file) ?? [], name === '' ? '(anonymous)' : name])
  }
  console.log(`\n## ${title}: ${byFile.size} files, ${functions.length} functions\n`)
  let place = 0
  for (const [file, names] of byFile) console.log(`${++place}. \`${file}\`: ${[...new Set(names)].join(', ')}`)
}

interface Post {
  readonly id: number
  readonly title: string
  readonly status: string
}

const posts = memoryStore<Post>({ key: 'id', rows: [{ id: 1, title: 'One', status: 'open' }] })
const app = express()
mountResource(app, {
  route: '/posts',
  name: 'posts',
  ...crud(posts, {
    input: z.object({ title: z.string().min(2), status: z.string() }),
    output: z.object({ id: z.int(), title: z.string(), status: z.string() }),
  }),
})
/** Requests the record, and throws if the reply is no record. */
async function get(url: string): Promise<void> {
  const response = await fetch(`${url}/posts/1`)
  if (response.status !== 200) throw new Error(`GET /posts/1 answered ${response.status}: ${await response.text()}`)
  await response.text()
}

const server = app.listen(0, '127.0.0.1')
await once(server, 'listening')
const { port } = server.address() as AddressInfo
await report('GET /posts/1 of a crud record, app.listen', () => get(`http://127.0.0.1:${port}`))

const { url, close } = await serve(app, { port: 0, host: '127.0.0.1', fast: false, signals: false })
await report('GET /posts/1 of a crud record, plain path of serve', () => get(url))

await report('mountResource with one handler', () => {
  mountResource(express(), { route: '/notes', name: 'notes', handlers: { show: () => null } })
})

session.disconnect()
await close()
server.close()
