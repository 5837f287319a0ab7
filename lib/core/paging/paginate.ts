import type { Request } from 'express'
import { MisuseError, ValidationError } from '../base/errors.js'
import { messageOf } from '../base/messages/messages.js'
import { checkOptionNames } from '../base/options.js'
import { decodeCursor, encodeCursor, invalidCursor, type Position } from './cursor.js'
import { markPage, type AnyPage } from '../reply/reply.js'
import { positive, toCount } from './page.js'
import { rowsOf, sourceOf, type Source } from './source.js'
import { chain } from '../base/promises.js'
import { readPageQuery, type PageOptions } from '../request-param/page.js'
import type { CursorPage, Page, PageSource, UncountedPage } from '../base/types.js'

export { toPage } from './page.js'

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
 * Returns one page of an array, or of a query of your own library (such as by `fromKysely` of `resourcery/kysely`).
 *
 * `paginate(source, req)` reads `page` and `limit` of the query, or its `cursor` if it has one; `limit` and `maxLimit`
 * are those of `RequestParam.page`. `paginate(source, 20)` does not read the request: it always returns the first page.
 *
 * `total: false` saves the count. `{ cursor, limit }` pages by cursor, where `''` or `null` is the first page: such
 * pages are stable under inserts if the source has an order (`sliceAfter`), while the cursors of arrays and other
 * sources are offsets. With a `cursor` of `undefined` the page is numbered. A page past the end is an empty list.
 *
 * @throws ValidationError naming `page`, `limit` or `cursor`, if it is not a whole number from 1 or not a cursor of
 * this package, and naming both where a request has a page other than 1 beside a cursor.
 * @throws MisuseError `page_source` for anything but a source, `page_count` for a source that cannot count,
 * `page_limit` for a `limit` above `maxLimit`, `option_unknown` for an unknown option.
 * @example
 * app.get('/users', async (req, res) => send(res, 'ok', await paginate(users, req, { limit: 10, maxLimit: 50 })))
 */
export function paginate<T>(source: Source<T>, options: CursorOptions): Promise<CursorPage<T>>
export function paginate<T>(source: Source<T>, options: UncountedOptions): Promise<UncountedPage<T>>
export function paginate<T>(source: Source<T>, options: EitherOptions): Promise<Page<T> | CursorPage<T>>
export function paginate<T>(
  source: Source<T>,
  req: Request,
  options?: PageOptions,
): Promise<Page<T> | CursorPage<T>>
export function paginate<T>(source: Source<T>, options: number | CountedOptions): Promise<Page<T>>
export function paginate<T>(
  source: Source<T>,
  options: number | Request | CursorOptions | UncountedOptions | EitherOptions | CountedOptions,
  bounds?: PageOptions,
): Promise<AnyPage<T>> {
  if (typeof options === 'object' && isRequest(options)) return pageOfRequest(source, options, bounds)
  checkNoBounds(bounds)
  if (typeof options !== 'object') return pageByNumber(source, { page: 1, limit: options })
  checkOptionNames('paginate', options, OPTIONS)
  return isByCursor(options) ? pageByCursor(source, options) : pageByNumber(source, options)
}

/** @throws MisuseError `option_unknown` for options of a request where there is none: they would be ignored. */
function checkNoBounds(bounds: object | undefined): void {
  const [name] = Object.keys(bounds ?? {})
  if (name === undefined) return
  throw new MisuseError(
    'option_unknown',
    `paginate has the option \`${name}\` in a third argument, which only a request in the second has: write `
      + '`paginate(source, { page, limit })`, or `paginate(source, req, { limit, maxLimit })`.',
  )
}

/** Returns true for a request of Express: no option is called `query`. */
function isRequest(options: object | null): options is Request {
  return options !== null && 'query' in options
}

async function pageOfRequest<T>(
  source: Source<T>,
  req: Request,
  bounds: PageOptions | undefined,
): Promise<Page<T> | UncountedPage<T> | CursorPage<T>> {
  const { page, limit, cursor } = readPageQuery(req, bounds)
  if (cursor === undefined) return pageByNumber(source, { page, limit })
  if (typeof cursor !== 'string') throw invalidCursor()
  return pageByCursor(source, { cursor, limit })
}

/** Includes properties of `RequestParam.page` that are ignored. */
const OPTIONS = ['page', 'limit', 'total', 'cursor', 'offset', 'search']

function isByCursor(options: CursorOptions | EitherOptions | NumberedOptions): options is CursorOptions {
  return 'cursor' in options && options.cursor !== undefined
}

interface NumberedOptions {
  readonly page: number
  readonly limit: number
  readonly total?: boolean | undefined
}

/** Returns a numbered page: `limit` rows from an offset, counted unless `total` is `false`. */
async function pageByNumber<T>(given: Source<T>, options: NumberedOptions): Promise<Page<T> | UncountedPage<T>> {
  const source = sourceOf(given)
  const page = positive('page', options.page)
  const limit = positive('limit', options.limit)
  const offset = pageOffset(page, limit)
  if (options.total === false) {
    return chain(source.slice(offset, limit), (items) => markPage({ items: rowsOf(items, limit), page, limit }))
  }
  return chain(
    sliceAndCount(source, offset, limit),
    ({ items, total }) => markPage({ items: rowsOf(items, limit), page, limit, total: toCount(total) }),
  )
}

function pageOffset(page: number, limit: number): number {
  const offset = (page - 1) * limit
  if (!Number.isSafeInteger(offset + limit)) throw new ValidationError({ page: [messageOf('field.page_too_far')] })
  return offset
}

type CountedSlice<T> = Awaited<ReturnType<NonNullable<PageSource<T>['sliceAndCount']>>>

function sliceAndCount<T>(
  source: PageSource<T>,
  offset: number,
  limit: number,
): CountedSlice<T> | PromiseLike<CountedSlice<T>> {
  if (source.sliceAndCount !== undefined) return source.sliceAndCount(offset, limit)
  if (!isCountable(source)) {
    throw new MisuseError(
      'page_count',
      'This source cannot count its rows: give it count() or ask for { page, limit, total: false }.',
    )
  }
  // In sequence, since a transaction has one connection.
  return chain(source.slice(offset, limit), (items) => chain(source.count(), (total) => ({ items, total })))
}

function isCountable<T>(source: PageSource<T>): source is PageSource<T> & Required<Pick<PageSource<T>, 'count'>> {
  return source.count !== undefined
}

interface CursorOptions {
  readonly cursor: string | null
  readonly limit: number
}

/** Returns the page after a cursor, the first page for `''` and `null`; its `next` is `null` at the end of the list. */
async function pageByCursor<T>(given: Source<T>, options: CursorOptions): Promise<CursorPage<T>> {
  const source = sourceOf(given)
  const limit = positive('limit', options.limit)
  const position = options.cursor === null || options.cursor === '' ? null : decodeCursor(options.cursor)
  const { items, next } = await sliceAfter(source, position, limit)
  const rows = rowsOf(items, limit)
  // Not cut, since rows would be lost: the next page begins after the last row that the source returned.
  if (items.length > limit) {
    throw new MisuseError('page_source', 'sliceAfter must return at most as many rows as it was asked for.')
  }
  return markPage({ items: rows, limit, next: next === null ? null : encodeCursor(next) })
}

type Slice<T> = Awaited<ReturnType<NonNullable<PageSource<T>['sliceAfter']>>>

/** Reads the rows after a position; for a source without `sliceAfter` the position is an offset. */
export async function sliceAfter<T>(
  source: PageSource<T>,
  position: Position | null,
  limit: number,
): Promise<Slice<T>> {
  if (source.sliceAfter !== undefined) return source.sliceAfter(position, limit)
  const offset = position === null ? 0 : offsetOf(position, limit)
  const items = rowsOf(await source.slice(offset, limit + 1), limit + 1)
  return { items: items.slice(0, limit), next: items.length > limit ? [OFFSET, offset + limit] : null }
}

/** Marks the cursor of a source without `sliceAfter`. */
const OFFSET = 'offset'

function offsetOf(position: Position, limit: number): number {
  const [kind, offset] = position
  const isOffset = position.length === 2 && kind === OFFSET && typeof offset === 'number' && offset > 0
  if (!isOffset || !Number.isSafeInteger(offset) || !Number.isSafeInteger(offset + limit + 1)) throw invalidCursor()
  return offset
}
