import { ConflictError, messageAround, messageGivenTo, messagesOf, ValidationError, type FieldMessages,
  type Fields } from '../../core/index.js'

/**
 * Runs the write of one of several rows; its errors tell which row it was: `"items.3.email"`. Those of an item that
 * is a single value are at the item, whatever columns they are in.
 *
 * An error of a rule of the user's stays as it is.
 */
export function namingItem<T>(place: string, work: () => Promise<T>, isValue = false): Promise<T> {
  return renaming((error) => nameItem(place, error, isValue), work)
}

/** Does so for rows that are deleted, which have no place in the list: `"items.email"`. */
export function namingList<T>(list: string, work: () => Promise<T>, isValue = false): Promise<T> {
  const rename = (error: unknown): unknown =>
    error instanceof ConflictError && error.fields === undefined ? error : nameItem(list, error, isValue)
  return renaming(rename, work)
}

/** Runs a write, and throws in place of its error the one that `rename` returns. */
export async function renaming<T>(
  rename: ((error: unknown) => unknown) | undefined,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw rename === undefined ? error : rename(error)
  }
}

export function nameItem(place: string, error: unknown, isValue = false): unknown {
  if (error instanceof ValidationError) {
    return new ValidationError(fieldsAt(place, error.fields, isValue), messageGivenTo(error))
  }
  if (error instanceof ConflictError) {
    const fields = error.fields && fieldsAt(place, error.fields, isValue)
    return new ConflictError(messageAround('conflict.item', { item: place }, messageGivenTo(error)), {
      reason: error.reason,
      fields,
      cause: error,
    })
  }
  return error
}

function fieldsAt(place: string, fields: Fields, isValue: boolean): FieldMessages {
  const entries = Object.entries(messagesOf(fields))
  if (isValue) return { [place]: entries.flatMap(([, messages]) => messages) }
  return Object.fromEntries(
    entries.map(([field, messages]) => [field === '_' ? place : `${place}.${field}`, messages]),
  )
}
