import { MisuseError, ValidationError } from '../errors.js'
import { messageOf } from '../messages.js'
import { brand } from '../reply.js'
import { checkOptionNames } from '../options.js'
import type { CursorPage, Meta, Page, UncountedPage } from '../types.js'

export type AnyPage<T = unknown> = Page<T> | UncountedPage<T> | CursorPage<T>

/** The pages that we made: a record of the user's with the same keys is not among them. */
const made = brand()

export function markPage<P extends AnyPage>(page: P): P {
  return made.put(page)
}

/** Whether a value is a page made by `paginate` or `toPage`, whatever its keys are; a copy of a page is none. */
export function isPage(value: unknown): value is AnyPage {
  return made.isOn(value)
}

interface Figures {
  readonly page: number
  readonly limit: number
  readonly total: number | bigint | string
}

/** What is told beside the items: `{ total, page, limit }`, uncounted `{ page, limit }`, by cursor `{ limit, next }`. */
export function pageMeta(page: AnyPage): Meta {
  if ('next' in page) return { limit: page.limit, next: page.next }
  if ('total' in page) return { total: page.total, page: page.page, limit: page.limit }
  return { page: page.page, limit: page.limit }
}

/**
 * Makes a page by hand, of rows that were fetched and counted elsewhere; the list is copied.
 *
 * @throws ValidationError naming `page` or `limit` when it is no whole number from 1.
 * @throws MisuseError `page_count` when `total` is no whole number from 0, as a number, bigint or text.
 * @example
 * toPage(rows, { page: 2, limit: 20, total: 57 })
 */
export function toPage<T>(items: readonly T[], figures: Figures): Page<T> {
  checkOptionNames('toPage', figures, ['page', 'limit', 'total', 'offset', 'search'])
  const { page, limit, total } = figures
  return markPage({ items: [...items], page: positive('page', page), limit: positive('limit', limit), total: toCount(total) })
}

/**
 * What a driver counted, as a number: PostgreSQL sends text, others a bigint.
 *
 * @throws MisuseError `page_count` for anything that is no number of rows.
 */
export function toCount(counted: unknown): number {
  const readable = typeof counted === 'bigint' || (typeof counted === 'string' && /^\d+$/.test(counted))
  const count = readable ? Number(counted) : counted
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0) {
    throw new MisuseError('page_count', 'A count must be a whole number from 0.')
  }
  return count
}

/**
 * The number itself, if it is a whole one from 1.
 *
 * @throws ValidationError naming the field: nothing is clamped, and nothing means "all rows".
 */
export function positive(field: 'page' | 'limit', value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 1) return value
  throw new ValidationError({ [field]: [messageOf('field.page', { field })] })
}
