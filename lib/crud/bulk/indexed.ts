import { ConflictError, ValidationError, type Fields } from '../../errors.js'

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
    return new ValidationError(fieldsAt(place, error.fields), error.message)
  }
  if (error instanceof ConflictError) {
    const fields = error.fields && fieldsAt(place, error.fields)
    return new ConflictError(`${place}: ${error.message}`, { reason: error.reason, fields, cause: error })
  }
  return error
}

function fieldsAt(place: string, fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).map(([field, messages]) => [field === '_' ? place : `${place}.${field}`, messages]))
}
