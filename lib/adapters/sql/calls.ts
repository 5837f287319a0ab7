import { setTimeout as wait } from 'node:timers/promises'
import { isDown, isRefused, isUndone } from './driver-errors.js'
import { toCommitError, toOutage, toStoreError, type Names } from './violations.js'

/** Runs a call that only reads: outside of a transaction it may be repeated on another connection. */
export async function reading<T>(isTransaction: boolean, work: () => Promise<T>): Promise<T> {
  return isTransaction ? writing({}, undefined, work) : retry(work, (error) => isDown(error) || isUndone(error))
}

/** Runs a write of these fields: its connection may be lost after it was done, so it is never repeated. */
export async function writing<T>(fields: object, names: Names | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toStoreError(error, fields, names)
  }
}

/**
 * Runs one statement that writes these fields outside of a transaction. Returns `undefined` if it has written nothing
 * and may be repeated: a deadlock, a long wait for a lock or a value that does not fit has undone it, the database does
 * not know it, or the connection was lost before `sent`.
 */
export async function undoable<T>(
  fields: object,
  names: Names,
  work: (sent: () => void) => Promise<T>,
): Promise<T | undefined> {
  const state = { isSent: false }
  try {
    return await work(() => (state.isSent = true))
  } catch (error) {
    if (isUndone(error) || isRefused(error) || (!state.isSent && isDown(error))) return undefined
    throw toStoreError(error, fields, names)
  }
}

/**
 * Runs a transaction, and repeats one that was undone. A connection that is lost before the commit undoes it too. If it
 * is lost during the commit, the outcome is unknown, and the transaction is not repeated.
 *
 * Each statement of a store converts its own violations. One of another statement stays an error of the driver, except
 * that of the commit, which checks what was deferred.
 */
export async function transacting<T>(
  run: (beforeCommit: () => void) => Promise<T>,
  { attempts = ATTEMPTS, names }: { readonly attempts?: number; readonly names?: () => Promise<Names> } = {},
): Promise<T> {
  let isCommitting = false
  const attempt = (): Promise<T> => {
    isCommitting = false
    return run(() => (isCommitting = true))
  }
  const isSafe = (error: unknown): boolean => matches(isUndone, error) || (!isCommitting && matches(isDown, error))
  const convert = async (error: unknown): Promise<unknown> => {
    const outage = toOutage(error)
    const isOfCommit = isCommitting && outage === error
    return isOfCommit ? toCommitError(error, await names?.().catch(() => undefined)) : outage
  }
  return retry(attempt, isSafe, attempts, convert)
}

const ATTEMPTS = 4
const FIRST_WAIT = 20
const LONGEST_WAIT = 200

/**
 * Repeats a call that may be repeated, by default three times, after about 20, 40, 80, … and at most 200 milliseconds,
 * and converts its last error.
 *
 * The waits differ, so that two transactions that met do not meet again.
 */
async function retry<T>(
  work: () => Promise<T>,
  isSafe: (error: unknown) => boolean,
  attempts: number = ATTEMPTS,
  convert: (error: unknown) => unknown = toStoreError,
): Promise<T> {
  for (let attempt = 1;; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === attempts || !isSafe(error)) throw await convert(error)
      await wait(Math.min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_WAIT) * (0.5 + Math.random()))
    }
  }
}

/** Tests an error and its cause, since a store inside the transaction may have converted the error already. */
function matches(test: (error: unknown) => boolean, error: unknown): boolean {
  return test(error) || (error instanceof Error && test(error.cause))
}
