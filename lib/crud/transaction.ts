import type { Request } from 'express'
import { deadlineOf, logLate, MisuseError, show, UnavailableError, type CheckTime,
  type Deadline } from '../core/index.js'
import type { CrudPlan, Precondition, Target } from './feature.js'
import type { AnyOptions, AnyStore, Row } from './options.js'
import { deniedFields } from './rules.js'

/** Rows that an action has written, for the hook `afterCommit`. */
export interface Written {
  readonly action: string
  readonly rows: readonly Row[]
  /** The options of the resource of the rows, where that is another one than that of the request. */
  readonly options?: AnyOptions
}

interface Outer {
  readonly store: AnyStore
  readonly written: Written[]
}

/** The requests whose handler runs inside a transaction that has begun before it. */
const joined = new WeakMap<Request, Outer>()

/** The rows of other resources that the transaction of a request has written. */
const related = new WeakMap<Request, Written[]>()

/** Notes rows of another resource that the transaction of this request has written, for their hook `afterCommit`. */
export function noteWritten(req: Request, written: Written): void {
  const notes = joined.get(req)?.written ?? related.get(req)
  notes?.push(written)
}

/** True if the transaction of this request has begun before its handler, which then cannot repeat it. */
export function isJoined(req: Request): boolean {
  return joined.has(req)
}

/** The rows that the work of a transaction has written, and the reply about them. */
export interface Done<T> {
  readonly rows: readonly Row[]
  readonly reply: T
}

/**
 * Runs work in one transaction, then the hook `afterCommit`, and returns the reply that the work has made. The
 * transaction is not committed when its time is up, or when its reply cannot be made. Features lock the rows of
 * `target` first.
 *
 * Outside of a transaction that has begun, `attempt` may do all of this without one; it returns `undefined` if it has
 * written nothing.
 */
export async function inTransaction<T>(
  plan: CrudPlan,
  req: Request,
  action: string,
  work: (store: AnyStore) => Promise<Done<T>>,
  target?: Omit<Target, 'req'>,
  attempt?: (checkTime: CheckTime) => Promise<Done<T> | undefined>,
): Promise<T> {
  const outer = joined.get(req)
  if (outer !== undefined) {
    const { rows, reply } = await work(outer.store)
    outer.written.push({ action, rows })
    return reply
  }
  const { store, options, withinDeadline } = plan
  const { rows, reply } = await explainingErrors(plan, req, () =>
    withinDeadline(async (checkTime) => {
      await askFieldRules(plan, req)
      const alone = await attempt?.(checkTime)
      if (alone !== undefined) return alone
      const keys = target === undefined ? [] : await keysToLock(plan, { ...target, req })
      return store.transaction(async (inside) => {
        related.set(req, []) // anew each time that the work runs
        if (keys.length > 0) await inside.find(keys)
        const done = await work(inside)
        checkTime()
        return done
      }, { seconds: checkTime() })
    }))
  await runAfterCommit(options, req, [{ action, rows }, ...related.get(req) ?? []])
  return reply
}

/**
 * Asks the field rules before a transaction begins: one that holds the only connection would wait for a rule that needs
 * another.
 */
export async function askFieldRules({ options: { fields }, features }: CrudPlan, req: Request): Promise<void> {
  if (fields !== undefined) await Promise.all([deniedFields(req, fields, 'read'), deniedFields(req, fields, 'write')])
  for (const { relatedPlans = [] } of features) for (const plan of relatedPlans) await askFieldRules(plan, req)
}

async function keysToLock({ features }: CrudPlan, target: Target): Promise<unknown[]> {
  const keys: unknown[] = []
  for (const { locks } of features) keys.push(...await locks?.(target) ?? [])
  return keys
}

/** Runs a transaction. An error is replaced by the one that features explain it with. */
export async function explainingErrors<T>({ features }: CrudPlan, req: Request, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    let explained: unknown = error
    for (const { explainError } of features) explained = await explainError?.(req, explained) ?? explained
    throw explained
  }
}

/** Returns what features ask of the rows with these keys, before the transaction that changes them begins. */
export async function preconditionOf(
  { features }: CrudPlan,
  req: Request,
  keys: readonly unknown[],
): Promise<Precondition> {
  const checks: Precondition[] = []
  for (const { precondition } of features) {
    const check = await precondition?.(req, keys)
    if (check !== undefined) checks.push(check)
  }
  return (row) => {
    for (const check of checks) check(row)
  }
}

/**
 * Runs a handler whose transaction is part of one that has begun; the caller runs `afterCommit` for what was written.
 */
export async function joinTransaction<T>(
  req: Request,
  store: AnyStore,
  written: Written[],
  run: () => T | Promise<T>,
): Promise<T> {
  joined.set(req, { store, written })
  try {
    return await run()
  } finally {
    joined.delete(req)
  }
}

/** Runs the hook `afterCommit` on rows that were written. Its errors are logged: the write is committed. */
export async function runAfterCommit(
  own: AnyOptions,
  req: Request,
  written: readonly Written[],
): Promise<void> {
  for (const { action, rows, options: { afterCommit = {} } = own } of written) {
    for (const row of rows) {
      try {
        await afterCommit[action]?.(row, req)
      } catch (error) {
        logLate(error, req, `After ${action} was committed`)
      }
    }
  }
}

/** In seconds. */
export const DEADLINE = 30

/**
 * Returns a function that bounds the time of a store's work, 30 seconds by default.
 *
 * @throws MisuseError `crud_deadline` for anything but a positive number of seconds.
 */
export function storeDeadline(seconds = DEADLINE): Deadline {
  if (typeof seconds === 'number' && seconds > 0 && seconds <= 86_400) {
    return deadlineOf(seconds, () => new UnavailableError(`The store did not respond within ${seconds} seconds`))
  }
  throw new MisuseError(
    'crud_deadline',
    `\`deadline\` of crud must be a number of seconds above 0 and at most 86400, not ${show(seconds)}.`,
  )
}
