import { WAVES } from './cases.js'
import { RowWatch } from './changes.js'
import { isAdmitted } from './collections.js'
import { randomValues } from './random.js'
import type { Run } from './run.js'
import type { CaseSource } from './url-cases.js'
import { labelOf, type CheckCase, type Observed, type Target } from './model.js'

/**
 * Sends these targets the requests of all groups, group by group. Within a group the targets take turns, so that a
 * budget that ends early has tested all of them alike.
 */
export async function sendWaves(run: Run, targets: readonly Target[]): Promise<void> {
  const rows = new RowWatch(run)
  // A long string would never end where a short one takes too long.
  const quick = targets.filter((target) => !run.isKnown(target, 'time'))
  for (const [number, wave] of WAVES.entries()) {
    let turns = quick.flatMap((target) =>
      callersFor(run, target, number).map((caller) => turnsOf(run, rows, { target, caller, wave }))
    )
    while (turns.length > 0 && !run.isOver()) turns = await takeTurns(turns)
  }
}

/** Lets each of these have a turn, and returns those that have not ended. */
async function takeTurns<T extends AsyncGenerator>(turns: readonly T[]): Promise<T[]> {
  const left: T[] = []
  for (const one of turns) if ((await one.next()).done !== true) left.push(one)
  return left
}

/** Sends a valid request to each of these targets as every caller. */
export async function sendValid(run: Run, targets: readonly Target[]): Promise<void> {
  const rows = new RowWatch(run)
  for (const target of targets) {
    for (const caller of run.sender.callers.keys()) {
      if (run.isOver()) return
      const request = await run.valid(target, caller)
      await sendProbe(run, rows, target, { request, about: 'a valid request', isPlain: true })
    }
  }
}

async function sendProbe(run: Run, rows: RowWatch, target: Target, probe: CheckCase): Promise<Observed> {
  const observed = await rows.during(target, probe, () => run.probe(target, probe))
  if (target.method !== 'GET' && observed.status < 300) run.known.forget()
  return observed
}

/** Requests that a target is sent before the next one is. */
const TURN = 25

/** Requests of one group for a caller whom the guards refuse. */
const MOST_REFUSED = 40

/** The requests to one target as one caller. */
interface Turns {
  readonly target: Target
  readonly caller: string
  readonly wave: (source: CaseSource) => Iterable<CheckCase>
}

/** Sends the requests of one group to one target as one caller, and stops after some of them until the next turn. */
async function* turnsOf(run: Run, rows: RowWatch, { target, caller, wave }: Turns): AsyncGenerator<undefined> {
  const { resolve, settings } = run
  const begin = (): Promise<CaseSource['make']> => {
    settings.progress(`${labelOf(target)}: ${run.requests} requests, ${run.findings.length} findings`)
    return run.known.maker(target, caller)
  }
  let make = await begin()
  const random = await randomValues(settings.seed)
  let [left, silent, count] = [isAdmitted(target.access[caller]) ? Infinity : MOST_REFUSED, 0, 0]
  for (const probe of wave({ target, resolve, make: (fields) => make(fields), random })) {
    if (left-- <= 0 || run.isOver()) return
    const observed = await sendProbe(run, rows, target, probe)
    // Each takes the whole time limit, and tells nothing new.
    if (observed.failed === 'time' && ++silent >= 2) return
    if (++count % TURN !== 0) continue
    yield
    // The records that valid requests name may have changed since the last turn.
    make = await begin()
  }
}

/** The groups whose requests a guard refuses like those of the others: hostile and random values. */
const ADMITTED_ONLY = new Set([1, 3, 5])

/** Returns who sends the requests of a group: the first callers who are admitted, and two who are refused. */
function callersFor(run: Run, target: Target, number: number): string[] {
  const callers = [...run.sender.callers.keys()]
  const admitted = callers.filter((caller) => isAdmitted(target.access[caller]))
  const refused = callers.filter((caller) => typeof target.access[caller] === 'number')
  const mostAdmitted = number === 0 ? 2 : 1
  const someRefused = !ADMITTED_ONLY.has(number) ? [...refused.slice(0, 1), ...refused.slice(-1)] : []
  return [...new Set([...admitted.slice(0, mostAdmitted), ...someRefused])]
}
