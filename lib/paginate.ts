import { checkOptionNames } from './options.js'
import { pageByCursor, type CursorOptions } from './paging/by-cursor.js'
import { pageByNumber, type NumberedOptions } from './paging/by-number.js'
import type { AnyPage } from './paging/page.js'
import type { Source } from './paging/source.js'
import type { CursorPage, Page, UncountedPage } from './types.js'

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
