import { MisuseError } from '../errors.js'
import type { PageSource } from '../types.js'

/** What pages are made of. */
export type Source<T> = readonly T[] | PageSource<T>

/**
 * An array as a source, a source as it is.
 *
 * @throws MisuseError `page_source` for anything else.
 */
export function sourceOf<T>(value: Source<T>): PageSource<T> {
  if (isList(value)) return { slice: (offset, limit) => value.slice(offset, offset + limit), count: () => value.length }
  if (isPageSource(value)) return value
  throw new MisuseError(
    'page_source',
    'paginate takes an array or a PageSource: resourcery/sources/* turns a query into one, as in paginate(fromKysely(query), 20).',
  )
}

function isList<T>(value: Source<T>): value is readonly T[] {
  return Array.isArray(value)
}

/** Typed arrays and buffers have a `slice` too, with other arguments. */
function isPageSource(value: unknown): value is PageSource<unknown> {
  return typeof value === 'object' && value !== null && !ArrayBuffer.isView(value) && 'slice' in value && typeof value.slice === 'function'
}

/**
 * What a source returned, copied, and never more than was asked for.
 *
 * @throws MisuseError `page_source` when it is no list.
 */
export function rowsOf<T>(returned: readonly T[], limit: number): T[] {
  if (!Array.isArray(returned)) throw new MisuseError('page_source', 'A source must return its rows as a list.')
  return returned.slice(0, limit) as T[]
}
