import { isAccepted, type KnownRecord } from './collections.js'
import { memberOf, recordOf } from './members.js'
import { reporter, type Run } from './run.js'
import { jsonOf } from './written.js'
import type { CheckRequest, Observed, Target } from './model.js'

/** A request that may change numbers, and how these are read. */
export interface Counter {
  readonly run: Run
  readonly target: Target
  readonly request: CheckRequest
  readonly read: () => Promise<KnownRecord>
}

/** The requests that are sent at the same time. */
const TOGETHER = 3

/** Compares by how much a number changes by requests one after another, and at the same time. */
export async function checkCounted({ run, target, request, read }: Counter,
  [start = {}, middle = {}, end = {}]: readonly KnownRecord[]): Promise<void>
{
  const counted = Object.keys(end).flatMap((name) => {
    const [one, other] = [stepOf(start[name], middle[name]), stepOf(middle[name], end[name])]
    return one !== 0 && one === other ? [{ name, step: one }] : []
  })
  // A counter of views is changed by the reads.
  const again = counted.length === 0 ? {} : await read()
  const steps = counted.filter(({ name }) => stepOf(end[name], again[name]) === 0)
  if (steps.length === 0) return
  const replies = await sendTogether(run, Array.from({ length: TOGETHER }, () => request))
  const after = await read()
  if (!replies.every(isAccepted)) return
  const lost = steps.find(({ name, step }) =>
    Math.abs(stepOf(end[name], after[name])) < Math.abs(step) * TOGETHER - 1e-9
  )
  if (lost === undefined) return
  await report(run, target, request, `Of ${TOGETHER} requests at the same time, some do not change \`${lost.name}\``)
}

function stepOf(before: unknown, after: unknown): number {
  return typeof before === 'number' && typeof after === 'number' ? after - before : 0
}

/**
 * Sends the whole of each number that is there as an amount, twice at the same time: if one after another is refused,
 * both may not be accepted.
 */
export async function checkOverdrawn(counter: Counter): Promise<void> {
  const { run, target, request, read } = counter
  const { body } = request
  const names = body !== undefined && 'json' in body ? amountsOf(run, target) : []
  for (const name of names) {
    const amounts = Object.entries(await read()).filter((entry): entry is [string, number] =>
      typeof entry[1] === 'number' && entry[1] > 0 && entry[0] !== 'id'
    )
    for (const [place, amount] of amounts) {
      if (run.isOver() || run.isKnown(target, 'state')) return
      const sent = { ...request, body: { json: { ...jsonOf(request), [name]: amount } } }
      if (await isTakenTwice(counter, sent, { place, amount })) {
        await report(run, target, sent, `Two requests at the same time take the whole of \`${place}\` twice`)
      }
    }
  }
}

async function isTakenTwice({ run, read }: Counter, request: CheckRequest,
  { place, amount }: { readonly place: string; readonly amount: number }): Promise<boolean>
{
  const replies = await sendTogether(run, [request, request])
  const after = (await read())[place]
  if (!replies.every(isAccepted) || typeof after !== 'number' || after >= amount) return false
  // What may be overdrawn is meant to be.
  return !isAccepted(await run.send(request))
}

/** Returns the fields of a body that are numbers. */
function amountsOf(run: Run, target: Target): readonly string[] {
  return [...run.fieldsOf(target)].flatMap(([name, { schema }]) => {
    const { type } = run.resolve(schema)
    return (type === 'integer' || type === 'number') && !/id$/i.test(name) ? [name] : []
  })
}

/** Calls what changes something that is there once, such as `POST /wallet/spend`. */
export async function checkSingles(run: Run): Promise<void> {
  for (const target of run.targets) {
    const path = target.path.slice(0, target.path.lastIndexOf('/'))
    const show = run.known.listAt(path)
    if (target.method !== 'POST' || show === undefined || path.includes(':') || isCollection(run, path)) continue
    const caller = run.admitted(target, show)[0]
    if (caller === undefined || run.isOver() || run.isKnown(target, 'state')) continue
    const request = await run.valid(target, caller)
    const reading = await run.valid(show, caller)
    const read = async (): Promise<KnownRecord> => recordOf(await run.send(reading)) ?? {}
    if (Object.values(await read()).some((value) => typeof value === 'number')) {
      await checkSingle({ run, target, request, read })
    }
  }
}

function isCollection(run: Run, path: string): boolean {
  return ['GET', 'PATCH', 'PUT', 'DELETE'].some((method) => memberOf(run, path, method) !== undefined)
}

async function checkSingle(counter: Counter): Promise<void> {
  const { run, request, read } = counter
  const states = [await read()]
  const replies: Observed[] = []
  for (let count = 0; count < 2; count++) {
    replies.push(await run.send(request))
    states.push(await read())
  }
  if (replies.every(isAccepted)) await checkCounted(counter, states)
  await checkOverdrawn(counter)
}

export function sendTogether(run: Run, requests: readonly CheckRequest[]): Promise<Observed[]> {
  return Promise.all(requests.map((request) => run.send(request)))
}

const report = reporter('state', 'requests at the same time')
