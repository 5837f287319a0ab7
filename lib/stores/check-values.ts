import { ColumnViolation } from '../store.js'

/**
 * Refuses strings that some database would cut off, replace or fail on, so that all stores answer alike.
 *
 * @throws ColumnViolation naming the field, for NUL and for half a surrogate pair.
 */
export function checkText(field: string, value: unknown): void {
  if (typeof value !== 'string') return
  if (value.includes('\0')) throw misfit(field, 'Must not contain a NUL character')
  if (/\p{Surrogate}/u.test(value)) throw misfit(field, 'Must be well-formed Unicode')
}

/**
 * Checks the values to write to a row; `undefined` is not written.
 *
 * @throws ColumnViolation also for NaN, an infinite number and an Invalid Date, which databases refuse, keep or take
 * for text.
 */
export function checkValues(fields: object): void {
  for (const [field, value] of Object.entries(fields)) {
    checkText(field, value)
    if (typeof value === 'number' && !Number.isFinite(value)) throw misfit(field, 'Must be a finite number')
    if (value instanceof Date && Number.isNaN(value.getTime())) throw misfit(field, 'Must be a valid date')
  }
}

/** The fields that have a value, `null` included. */
export function defined<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields
}

export function misfit(field: string, message: string): ColumnViolation {
  return new ColumnViolation({ [field]: [message] }, { columns: [field] })
}
