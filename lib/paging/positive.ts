import { ValidationError } from '../errors.js'
import { messageOf } from '../messages.js'

/**
 * The number itself, if it is a whole one from 1.
 *
 * @throws ValidationError naming the field: nothing is clamped, and nothing means "all rows".
 */
export function positive(field: 'page' | 'limit', value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value
  throw new ValidationError({ [field]: [messageOf('field.page', { field })] })
}
