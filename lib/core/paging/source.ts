import { MisuseError } from '../base/errors.js'
import { ignoreFailure } from '../base/promises.js'
import type { PageSource } from '../base/types.js'

/** Rows to make pages of. */
export type Source<T> = readonly T[] | PageSource<T>

/**
 * Converts an array to a source, and returns a source as it is.
 *
 * @throws MisuseError `page_source` for anything else.
 */
export function sourceOf<T>(value: Source<T>): PageSource<T> {
  if (isList(value)) return { slice: (offset, limit) => value.slice(offset, offset + limit), count: () => value.length }
  if (isPageSource(value)) return value
  ignoreFailure(value)
  throw new MisuseError(
    'page_source',
    'paginate was given neither an array nor a PageSource. '
      + 'Convert a query, such as with fromKysely of resourcery/kysely: paginate(fromKysely(query), 20).',
  )
}

function isList<T>(value: Source<T>): value is readonly T[] {
  return Array.isArray(value)
}

/** Returns true for a source; typed arrays and buffers have a `slice` too, with other arguments. */
function isPageSource(value: unknown): value is PageSource<unknown> {
  return (
    typeof value === 'object'
    && value !== null
    && !ArrayBuffer.isView(value)
    && 'slice' in value
    && typeof value.slice === 'function'
  )
}

/**
 * Copies the rows that a source returned, at most `limit` of them.
 *
 * @throws MisuseError `page_source` when it is no list.
 */
export function rowsOf<T>(returned: readonly T[], limit: number): T[] {
  if (!isList(returned)) {
    throw new MisuseError('page_source', 'A source returned something other than a list. Return the rows as an array.')
  }
  return returned.slice(0, limit)
}
