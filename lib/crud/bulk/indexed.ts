import { ConflictError, ValidationError } from '../../errors.js'

/**
 * Runs the write of one of several rows; what goes wrong with it says which one: `"items.3.email"`.
 *
 * An error of a rule of the user's stays as it is.
 */
export async function indexed<T>(list: string, index: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw named(`${list}.${index}`, error)
  }
}

function named(place: string, error: unknown): unknown {
  if (error instanceof ValidationError) {
    const fields = Object.entries(error.fields).map(([field, messages]) => [field === '_' ? place : `${place}.${field}`, messages] as const)
    return new ValidationError(Object.fromEntries(fields), error.message)
  }
  if (error instanceof ConflictError) return new ConflictError(`${place}: ${error.message}`, { reason: error.reason ?? 'conflict' })
  return error
}
