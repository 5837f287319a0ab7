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
  for (const [number] of WAVES.entries()) {
    let turns = targets.flatMap((target) =>
      callersFor(run, target, number).map((caller) => new Turns(run, target, caller, number))
    )
    while (turns.length > 0 && !run.isOver()) {
      for (const one of turns) await one.next(rows)
      turns = turns.filter((one) => !one.isDone)
    }
  }
}

/** Sends a valid request to each of these targets as every caller. */
export async function sendValid(run: Run, targets: readonly Target[]): Promise<void> {
  const rows = new RowWatch(run)
  for (const target of targets) {
    for (const caller of run.sender.callers.keys()) {
      if (run.isOver()) return
      const make = await run.known.maker(target, caller)
      const probe = { request: make(), about: 'a valid request', isPlain: true }
      const observed = await rows.during(target, probe, () => run.probe(target, probe))
      noteChange(run, target, observed)
    }
  }
}

function noteChange(run: Run, target: Target, { status }: Observed): void {
  if (target.method !== 'GET' && status < 300) run.known.forget()
}

/** Requests that a target is sent before the next one is. */
const TURN = 25

/** Requests of one group for a caller whom the guards refuse. */
const MOST_REFUSED = 40

/** The requests of one group to one target as one caller, some at a time. */
class Turns {
  readonly #run: Run
  readonly #target: Target
  readonly #caller: string
  readonly #number: number
  #cases: Iterator<CheckCase> | undefined
  #make: CaseSource['make'] | undefined
  #left: number
  #silent = 0
  isDone = false

  constructor(run: Run, target: Target, caller: string, number: number) {
    this.#run = run
    this.#target = target
    this.#caller = caller
    this.#number = number
    this.#left = isAdmitted(target.access[caller]) ? Infinity : MOST_REFUSED
  }

  async next(rows: RowWatch): Promise<void> {
    const [run, target] = [this.#run, this.#target]
    run.settings.progress(`${labelOf(target)}: ${run.requests} requests, ${run.findings.length} findings`)
    // The records that valid requests name may have changed since the last turn.
    this.#make = await run.known.maker(target, this.#caller)
    this.#cases ??= await this.#start()
    for (let count = 0; count < TURN; count++) {
      const next = this.#cases.next()
      if (next.done === true || this.#left-- <= 0 || run.isOver()) {
        this.isDone = true
        return
      }
      const observed = await rows.during(target, next.value, () => run.probe(target, next.value))
      noteChange(run, target, observed)
      // Each takes the whole time limit, and tells nothing new.
      if (observed.failed === 'time' && ++this.#silent >= 2) this.isDone = true
      if (this.isDone) return
    }
  }

  async #start(): Promise<Iterator<CheckCase>> {
    const { resolve, settings } = this.#run
    const random = await randomValues(settings.seed)
    const make: CaseSource['make'] = (fields) => {
      if (this.#make === undefined) throw new Error('A turn has not begun')
      return this.#make(fields)
    }
    const wave = WAVES[this.#number] ?? (() => [])
    return wave({ target: this.#target, resolve, make, random })[Symbol.iterator]()
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
