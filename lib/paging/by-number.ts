import { MisuseError, ValidationError } from '../errors.js'
import { messageOf } from '../messages.js'
import { chain } from '../promises.js'
import type { Page, PageSource, UncountedPage } from '../types.js'
import { toCount } from './count.js'
import { markPage } from './page.js'
import { positive } from './positive.js'
import { rowsOf } from './rows.js'
import { sourceOf, type Source } from './source.js'

export interface NumberedOptions {
  readonly page: number
  readonly limit: number
  readonly total?: boolean | undefined
}

/** The page with a number: `limit` rows from an offset, counted unless `total` is `false`. */
export async function pageByNumber<T>(given: Source<T>, options: NumberedOptions): Promise<Page<T> | UncountedPage<T>> {
  const source = sourceOf(given)
  const page = positive('page', options.page)
  const limit = positive('limit', options.limit)
  const offset = offsetOf(page, limit)
  if (options.total === false) return chain(source.slice(offset, limit), (items) => markPage({ items: rowsOf(items, limit), page, limit }))
  return chain(sliceAndCount(source, offset, limit), ({ items, total }) => markPage({ items: rowsOf(items, limit), page, limit, total: toCount(total) }))
}

function offsetOf(page: number, limit: number): number {
  const offset = (page - 1) * limit
  if (!Number.isSafeInteger(offset + limit)) throw new ValidationError({ page: [messageOf('field.page_too_far')] })
  return offset
}

interface Slice<T> {
  readonly items: readonly T[]
  readonly total: number
}

function sliceAndCount<T>(source: PageSource<T>, offset: number, limit: number): Slice<T> | PromiseLike<Slice<T>> {
  if (source.sliceAndCount !== undefined) return source.sliceAndCount(offset, limit)
  if (!isCountable(source)) {
    throw new MisuseError('page_count', 'This source cannot count its rows: give it count() or ask for { page, limit, total: false }.')
  }
  // One after the other: a transaction has one connection.
  return chain(source.slice(offset, limit), (items) => chain(source.count(), (total) => ({ items, total })))
}

function isCountable<T>(source: PageSource<T>): source is PageSource<T> & Required<Pick<PageSource<T>, 'count'>> {
  return source.count !== undefined
}
