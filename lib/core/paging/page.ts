import { MisuseError, ValidationError } from '../base/errors.js'
import { messageOf } from '../base/messages/messages.js'
import { checkOptionNames, show } from '../base/options.js'
import { markPage } from '../reply/reply.js'
import type { Page } from '../base/types.js'

interface Figures {
  readonly page: number
  readonly limit: number
  readonly total: number | bigint | string
}

/**
 * Makes a page of rows that were read and counted elsewhere; the list is copied.
 *
 * @throws ValidationError naming `page` or `limit` when it is no whole number from 1.
 * @throws MisuseError `page_source` for anything but a list, `page_count` when `total` is no whole number from 0, as a
 * number, bigint or string.
 * @example
 * toPage(rows, { page: 2, limit: 20, total: 57 })
 */
export function toPage<T>(items: readonly T[], figures: Figures): Page<T> {
  checkOptionNames('toPage', figures, ['page', 'limit', 'total', 'offset', 'search'])
  if (!isIterable(items)) {
    throw new MisuseError('page_source', `toPage was given ${show(items)}, not a list. Give it the rows as an array.`)
  }
  const { page, limit, total } = figures
  return markPage({
    items: [...items],
    page: positive('page', page),
    limit: positive('limit', limit),
    total: toCount(total),
  })
}

function isIterable(items: unknown): boolean {
  return typeof items === 'object' && items !== null && Symbol.iterator in items
}

/**
 * Converts a count of a driver to a number: PostgreSQL sends a string, others a bigint.
 *
 * @throws MisuseError `page_count` for anything that is no number of rows.
 */
export function toCount(counted: unknown): number {
  const readable = typeof counted === 'bigint' || (typeof counted === 'string' && /^\d+$/.test(counted))
  const count = readable ? Number(counted) : counted
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) {
    throw new MisuseError(
      'page_count',
      'The number of rows of a source or page is no whole number from 0. Return the count of the query.',
    )
  }
  return count
}

/**
 * Returns a number that is a whole number from 1.
 *
 * @throws ValidationError naming the field for any other value: nothing is clamped, and no value means "all rows".
 */
export function positive(field: 'page' | 'limit', value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value
  throw new ValidationError({ [field]: [messageOf('field.page', { field })] })
}
