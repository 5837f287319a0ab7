import type { Request } from 'express'
import { deadlineOf, keepFiles, logLate, MisuseError, show, UnavailableError, withoutUndoneFiles, type CheckTime,
  type Deadline } from '../../core/index.js'
import type { Call, CrudPlan, Precondition, WriteTarget, Written } from './feature.js'
import type { AnyStore, Row } from './any-resource.js'
import { scopeValues, withoutLocks } from './scope.js'

/** The rows that the work of a transaction has written, and the reply about them. */
export interface Done<T> {
  readonly rows: readonly Row[]
  readonly reply: T
}

/** The work of an action that writes. */
export interface Work<T> {
  readonly action: string
  /** The rows that it writes, of which features lock some first. */
  readonly target: WriteTarget
  /** Runs inside the transaction, perhaps more than once. */
  readonly run: (call: Call) => Promise<Done<T>>
  /** True if it runs code of the application besides hooks. */
  readonly runsOwnCode?: boolean
  /** Does the same without a transaction; it returns `undefined` if it has written nothing. */
  readonly attempt?: ((checkTime: CheckTime) => Promise<Done<T> | undefined>) | undefined
}

/**
 * Runs work in one transaction, then the hook `afterCommit`, and returns the reply that the work has made. The
 * transaction is not committed when its time is up, or when its reply cannot be made. Work inside a transaction that
 * has already begun joins it, and `afterCommit` runs after that transaction.
 */
export async function inTransaction<T>(call: Call, work: Work<T>): Promise<T> {
  const { action, target, run, attempt, runsOwnCode = hasOwnCode(call.plan) } = work
  if (call.transaction !== undefined) {
    await lockAbove(call, target)
    const { rows, reply } = await run(call)
    call.noteWritten(action, rows)
    return reply
  }
  const { req, res, store, plan: { options, withinDeadline } } = call
  let written: readonly Written[] = []
  const { rows, reply } = await explainingErrors(call, () =>
    withinDeadline(async (checkTime) => {
      await askFieldRules(call)
      const attempted = await attempt?.(checkTime)
      if (attempted !== undefined) {
        keepFiles(req)
        return attempted
      }
      const keys = await keysToLock(call, target)
      const inside = async (begun: AnyStore): Promise<Done<T>> => {
        const within = call.inside(begun)
        await lockAbove(within, target)
        if (keys.length > 0) await begun.find(keys)
        const done = await run(within)
        checkTime()
        written = within.transaction?.written ?? []
        return done
      }
      return withoutUndoneFiles(res, inside,
        (whole) => store.transaction(whole, { seconds: checkTime(), verify: runsOwnCode }))
    }))
  await runAfterCommit(req, [{ action, rows, options }, ...written])
  return reply
}

/**
 * Locks the rows of other resources that come before rows of this one, such as the record of children. It runs first in
 * a transaction: two requests that lock a record and its child in different orders would wait for each other.
 *
 * The rows of the target are read without a lock. One that is moved meanwhile has another row above it, which is locked
 * when it is written.
 */
export async function lockAbove(call: Call, { ids = [], sent }: WriteTarget): Promise<void> {
  const { store, plan: { features, scopes } } = call
  const all = features.flatMap((feature) => feature.lockAbove ?? [])
  if (all.length === 0) return
  const scope = await scopes.ofAny(call)
  const fixed = scopeValues(scope)
  const rows: readonly Row[] = [
    ...await withoutLocks(store).find(ids, scope),
    ...sent.map((fields) => ({ ...fields, ...fixed })),
  ]
  for (const lock of all) await lock(call, rows)
}

/**
 * True if code of the application runs inside a transaction after the last statement of crud: it may have caught the
 * error of a statement. What runs before is followed by a statement that fails then.
 */
export function hasOwnCode({ options: { after, transform, transformMany }, features }: CrudPlan): boolean {
  return [after, transform, transformMany].some((part) => part !== undefined)
    || features.some(({ relatedPlans = [] }) => relatedPlans.some(hasOwnCode))
}

/**
 * Asks the field rules before a transaction begins: one that holds the only connection would wait for a rule that needs
 * another.
 */
export async function askFieldRules(call: Call): Promise<void> {
  const { options: { fields }, features } = call.plan
  if (fields !== undefined) await Promise.all([call.denied('read'), call.denied('write')])
  for (const { relatedPlans = [] } of features)
    for (const plan of relatedPlans) await askFieldRules(call.forResource(plan))
}

async function keysToLock(call: Call, target: WriteTarget): Promise<unknown[]> {
  const keys: unknown[] = []
  for (const { locks } of call.plan.features) {
    for (const key of await locks?.(call, target) ?? []) keys.push(key)
  }
  return keys
}

/** Runs a transaction, and lets features replace its error by one that explains it. */
export async function explainingErrors<T>(call: Call, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    throw await explainedError(call, error)
  }
}

/** Returns the error of a transaction that has ended, or the one by which a feature explains it. */
export async function explainedError(call: Call, error: unknown): Promise<unknown> {
  let explained: unknown = error
  for (const { explainError } of call.plan.features) explained = await explainError?.(call, explained) ?? explained
  return explained
}

/** Collects the preconditions of features for the rows with these keys, before the transaction that changes them. */
export async function preconditionOf(
  call: Call,
  keys: readonly unknown[],
  areDeleted = false,
): Promise<Precondition> {
  const checks: Precondition[] = []
  for (const { precondition } of call.plan.features) {
    const check = await precondition?.(call, keys, areDeleted)
    if (check !== undefined) checks.push(check)
  }
  return async (row, inside) => {
    for (const check of checks) await check(row, inside)
  }
}

/** Runs the hook `afterCommit` on rows that were written. Its errors are logged: the write is committed. */
export async function runAfterCommit(req: Request, written: readonly Written[]): Promise<void> {
  for (const { action, rows, options: { afterCommit = {} } } of written) {
    const run = async (row: Row): Promise<void> => {
      const returned = await afterCommit[action]?.(row, req)
      if (returned instanceof Error) throw returned
    }
    for (const row of rows)
      await run(row).catch((error: unknown) => logLate(error, req, `After ${action} was committed`))
  }
}

/** The default of the option `deadline`, in seconds. */
export const DEFAULT_DEADLINE = 30

/**
 * Returns a function that bounds the time of a store's work, 30 seconds by default.
 *
 * @throws MisuseError `crud_deadline` for anything but a positive number of seconds.
 */
export function storeDeadline(seconds = DEFAULT_DEADLINE): Deadline {
  if (typeof seconds === 'number' && seconds > 0 && seconds <= 86_400) {
    return deadlineOf(seconds, () => new UnavailableError(`The store did not respond within ${seconds} seconds`))
  }
  throw new MisuseError(
    'crud_deadline',
    `\`deadline\` of crud must be a number of seconds above 0 and at most 86400, not ${show(seconds)}.`,
  )
}
