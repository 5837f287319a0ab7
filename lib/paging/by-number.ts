import { MisuseError, ValidationError } from '../errors.js'
import type { Page, PageSource, UncountedPage } from '../types.js'
import { toCount } from './count.js'
import { markPage } from './page.js'
import { positive } from './positive.js'
import { rowsOf } from './rows.js'

export interface NumberedOptions {
  readonly page: number
  readonly limit: number
  readonly total?: boolean | undefined
}

/** The page with a number: `limit` rows from an offset, counted unless `total` is `false`. */
export async function pageByNumber<T>(source: PageSource<T>, options: NumberedOptions): Promise<Page<T> | UncountedPage<T>> {
  const page = positive('page', options.page)
  const limit = positive('limit', options.limit)
  const offset = offsetOf(page, limit)
  if (options.total === false) return markPage({ items: rowsOf(await source.slice(offset, limit), limit), page, limit })
  const { items, total } = await sliceAndCount(source, offset, limit)
  return markPage({ items: rowsOf(items, limit), page, limit, total: toCount(total) })
}

function offsetOf(page: number, limit: number): number {
  const offset = (page - 1) * limit
  if (!Number.isSafeInteger(offset + limit)) throw new ValidationError({ page: ['There is no page with this number'] })
  return offset
}

async function sliceAndCount<T>(source: PageSource<T>, offset: number, limit: number): Promise<{ items: readonly T[]; total: number }> {
  if (source.sliceAndCount !== undefined) return source.sliceAndCount(offset, limit)
  if (source.count === undefined) {
    throw new MisuseError('page_count', 'This source cannot count its rows: give it count() or ask for { page, limit, total: false }.')
  }
  // One after the other: a transaction has one connection.
  const items = await source.slice(offset, limit)
  return { items, total: await source.count() }
}
