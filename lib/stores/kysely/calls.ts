import { isDown, isUndone, toStoreError, type Names } from '../sql/violations.js'
import { retry } from './retry.js'

/** Runs something that only reads: without a transaction around it, it may be asked again of another connection. */
export async function reading<T>(isTransaction: boolean, work: () => Promise<T>): Promise<T> {
  return translated(() => (isTransaction ? work() : retry(work, (error) => isDown(error) || isUndone(error))))
}

/** Runs a write of these fields: its connection may be lost after it was done, so it is never done twice. */
export async function writing<T>({ catalog }: { readonly catalog?: Names }, fields: object, work: () => Promise<T>): Promise<T> {
  return translated(work, fields, catalog)
}

/**
 * Runs a transaction, again where it was undone. A connection lost before the commit undoes it too; one lost while it commits leaves
 * nobody knowing, so that is not tried again.
 */
export async function transacting<T>(begin: (worked: () => void) => Promise<T>): Promise<T> {
  let commits = false
  const attempt = (): Promise<T> => {
    commits = false
    return begin(() => (commits = true))
  }
  const isSafe = (error: unknown): boolean => isUndone(causeOf(error)) || (!commits && isDown(causeOf(error)))
  return translated(() => retry(attempt, isSafe))
}

/** What a store inside the transaction has translated already. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error
}

async function translated<T>(work: () => Promise<T>, fields?: object, names?: Names): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw toStoreError(error, fields, names)
  }
}
