import { MisuseError, ValidationError } from './errors.js'
import { messageOf } from './messages.js'
import { checkOptionNames } from './options.js'
import { decodeCursor, encodeCursor, invalidCursor, type Position } from './paging/cursor.js'
import { markPage, type AnyPage } from './reply.js'
import { positive, toCount } from './paging/page.js'
import { rowsOf, sourceOf, type Source } from './paging/source.js'
import { chain } from './promises.js'
import type { CursorPage, Page, PageSource, UncountedPage } from './types.js'

export { toPage } from './paging/page.js'

interface CountedOptions extends NumberedOptions {
  /** @default true */
  readonly total?: true | undefined
}

interface UncountedOptions extends NumberedOptions {
  readonly total: false
}

interface EitherOptions extends CountedOptions {
  readonly cursor: string | null | undefined
}

/**
 * One page of an array, or of a query of your own library (`resourcery/sources/*`).
 *
 * `paginate(source, 20)` is page 1 of 20 rows. `total: false` spares the count. `{ cursor, limit }` pages by cursor, `''` or `null`
 * being the first page: stable under inserts where the source has an order of its own (`sliceAfter`), an offset in disguise for arrays
 * and other sources. With a `cursor` of `undefined` the page has a number. A page past the end is an empty list.
 *
 * @throws ValidationError naming `page`, `limit` or `cursor`, when it is no whole number from 1 or not one of our cursors.
 * @throws MisuseError `page_source` when the source is none, `page_count` when it cannot count, `option_unknown` for an unknown option.
 * @example
 * const { items, total } = await paginate(['a', 'b', 'c'], { page: 2, limit: 2 })
 */
export function paginate<T>(source: Source<T>, options: CursorOptions): Promise<CursorPage<T>>
export function paginate<T>(source: Source<T>, options: UncountedOptions): Promise<UncountedPage<T>>
export function paginate<T>(source: Source<T>, options: EitherOptions): Promise<Page<T> | CursorPage<T>>
export function paginate<T>(source: Source<T>, options: number | CountedOptions): Promise<Page<T>>
export function paginate<T>(
  source: Source<T>,
  options: number | CursorOptions | UncountedOptions | EitherOptions | CountedOptions,
): Promise<AnyPage<T>> {
  if (typeof options !== 'object') return pageByNumber(source, { page: 1, limit: options })
  checkOptionNames('paginate', options, OPTIONS)
  return isByCursor(options) ? pageByCursor(source, options) : pageByNumber(source, options)
}

/** With those of `RequestParam.page` that it has no use for. */
const OPTIONS = ['page', 'limit', 'total', 'cursor', 'offset', 'search']

function isByCursor(options: CursorOptions | EitherOptions | NumberedOptions): options is CursorOptions {
  return 'cursor' in options && options.cursor !== undefined
}

interface NumberedOptions {
  readonly page: number
  readonly limit: number
  readonly total?: boolean | undefined
}

/** The page with a number: `limit` rows from an offset, counted unless `total` is `false`. */
async function pageByNumber<T>(given: Source<T>, options: NumberedOptions): Promise<Page<T> | UncountedPage<T>> {
  const source = sourceOf(given)
  const page = positive('page', options.page)
  const limit = positive('limit', options.limit)
  const offset = pageOffset(page, limit)
  if (options.total === false) return chain(source.slice(offset, limit), (items) => markPage({ items: rowsOf(items, limit), page, limit }))
  return chain(sliceAndCount(source, offset, limit), ({ items, total }) => markPage({ items: rowsOf(items, limit), page, limit, total: toCount(total) }))
}

function pageOffset(page: number, limit: number): number {
  const offset = (page - 1) * limit
  if (!Number.isSafeInteger(offset + limit)) throw new ValidationError({ page: [messageOf('field.page_too_far')] })
  return offset
}

interface CountedSlice<T> {
  readonly items: readonly T[]
  readonly total: number
}

function sliceAndCount<T>(source: PageSource<T>, offset: number, limit: number): CountedSlice<T> | PromiseLike<CountedSlice<T>> {
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

interface CursorOptions {
  readonly cursor: string | null
  readonly limit: number
}

/** The page behind a cursor, the first one for `''` and `null`; its `next` is `null` at the end of the list. */
async function pageByCursor<T>(given: Source<T>, options: CursorOptions): Promise<CursorPage<T>> {
  const source = sourceOf(given)
  const limit = positive('limit', options.limit)
  const position = options.cursor === null || options.cursor === '' ? null : decodeCursor(options.cursor)
  const { items, next } = await sliceAfter(source, position, limit)
  const rows = rowsOf(items, limit)
  // To cut them would lose them: the next page begins behind the last row that the source gave.
  if (items.length > limit) throw new MisuseError('page_source', 'sliceAfter must return at most as many rows as it was asked for.')
  return markPage({ items: rows, limit, next: next === null ? null : encodeCursor(next) })
}

type Slice<T> = Awaited<ReturnType<NonNullable<PageSource<T>['sliceAfter']>>>

/** Reads behind a position; a source that knows offsets only has them as positions. */
export async function sliceAfter<T>(source: PageSource<T>, position: Position | null, limit: number): Promise<Slice<T>> {
  if (source.sliceAfter !== undefined) return source.sliceAfter(position, limit)
  const offset = position === null ? 0 : offsetOf(position, limit)
  const items = rowsOf(await source.slice(offset, limit + 1), limit + 1)
  return { items: items.slice(0, limit), next: items.length > limit ? [OFFSET, offset + limit] : null }
}

/** Tells the cursor of a source that only knows offsets from every other. */
const OFFSET = 'offset'

function offsetOf(position: Position, limit: number): number {
  const [kind, offset] = position
  const readable = position.length === 2 && kind === OFFSET && typeof offset === 'number' && offset > 0
  if (!readable || !Number.isSafeInteger(offset) || !Number.isSafeInteger(offset + limit + 1)) throw invalidCursor()
  return offset
}
