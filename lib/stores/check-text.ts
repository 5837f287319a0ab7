import { ValidationError } from '../errors.js'

/**
 * Refuses what some database would cut off, replace or choke on, so that all of them answer alike.
 *
 * @throws ValidationError naming the field, for NUL and for half a surrogate pair.
 */
export function checkText(field: string, value: unknown): void {
  if (typeof value !== 'string') return
  if (value.includes('\0')) throw new ValidationError({ [field]: ['Must not contain a NUL character'] })
  if (/\p{Surrogate}/u.test(value)) throw new ValidationError({ [field]: ['Must be well-formed Unicode'] })
}

/** The same of every value of a row. */
export function checkTexts(fields: object): void {
  for (const [field, value] of Object.entries(fields)) checkText(field, value)
}
