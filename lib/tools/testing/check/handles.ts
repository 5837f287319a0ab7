import { readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import type { Run } from './run.js'
import type { CheckRequest, Target } from './model.js'

/** Requests after which the open handles are counted. */
const REQUESTS = 12

/** Handles that must have been added by these requests: each has left one. */
const LEFT = 10

/** Milliseconds until handles have to be closed. */
const PATIENCE = 2_500

/** Checks that requests leave no timer, file, socket or listener open. */
export async function checkHandles(run: Run, targets: readonly Target[]): Promise<void> {
  for (const target of run.left(targets)) {
    const caller = run.admitted(target)[0]
    if (caller !== undefined) await checkTarget(run, target, caller)
  }
}

async function checkTarget(run: Run, target: Target, caller: string): Promise<void> {
  const make = await run.known.maker(target, caller)
  // What a first request opens for good, such as a connection, is no leak.
  await run.send(make())
  const before = await openHandles()
  for (let count = 0; count < REQUESTS; count++) if ((await run.send(make())).failed !== undefined) return
  run.known.forget()
  const left = await handlesLeftSince(before)
  // What other programs do at the same time is not repeated.
  if (left === undefined || await leftAgain(run, make) !== left) return
  await run.record(target, { request: make(), about: `${REQUESTS} valid requests` }, { kind: 'handle',
    message: `Each request leaves a handle open: ${left}` })
}

async function leftAgain(run: Run, make: () => CheckRequest): Promise<string | undefined> {
  const before = await openHandles()
  for (let count = 0; count < REQUESTS; count++) await run.send(make())
  run.known.forget()
  return handlesLeftSince(before)
}

/** Returns the kind of handles of which there are more than before, however long one waits. */
async function handlesLeftSince(before: ReadonlyMap<string, number>): Promise<string | undefined> {
  const ends = performance.now() + PATIENCE
  for (;;) {
    const found = [...await openHandles()].find(([kind, count]) => count - (before.get(kind) ?? 0) >= LEFT)
    if (found === undefined || performance.now() > ends) return found?.[0]
    await wait(100)
  }
}

/** Handles that come and go with requests. */
const PASSING = new Set(['Immediate', 'TickObject', 'GetAddrInfoReqWrap', 'ZlibStream', 'Zlib'])

/** Counts the open handles of the process by kind, and its open files where the system tells. */
async function openHandles(): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) {
    if (!PASSING.has(kind)) counts.set(kind, (counts.get(kind) ?? 0) + 1)
  }
  counts.set('an open file', await readdir('/proc/self/fd').then((files) => files.length, () => 0))
  counts.set('an entry of the temporary folder', await readdir(tmpdir()).then((entries) => entries.length, () => 0))
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
  return counts.set('a listener of the process', listeners)
}
