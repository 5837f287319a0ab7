import { MisuseError } from '../base/errors.js'
import type { Literal } from '../base/literals.js'
import { ignoreFailure, isThenable } from '../base/promises.js'
import { isPage, markFormatted, pageMeta, type AnyPage, type Formatted } from './reply.js'

type ItemOf<Source> = Source extends AnyPage<infer Item> | readonly (infer Item)[] ? Item : NonNullable<Source>

type DataOf<Source, Result> = Source extends null | undefined ? null
  : Source extends AnyPage | readonly unknown[] ? Result[]
  : Result

/**
 * Converts data to output: each item of a page or a list, or a single record; `null` and `undefined` become `null`.
 *
 * The `meta` of a page is `{ total, page, limit }`, by cursor `{ limit, next }`, otherwise `{}`.
 *
 * @throws MisuseError `format_promise` when the value is a promise or the callback returns one: await the value first.
 * @example
 * formatData(await paginate(users, 20), ({ id, name }) => ({ id, name }))
 */
export function formatData<Source, Result extends Literal>(
  source: Source,
  callback: (item: ItemOf<Source>) => Result extends PromiseLike<unknown> ? never : Result,
): Formatted<DataOf<Source, Result>> {
  const format = callback as (item: unknown) => unknown
  return markFormatted(
    { data: dataOf(source, format) as DataOf<Source, Result>, meta: isPage(source) ? pageMeta(source) : {} },
  )
}

function dataOf(source: unknown, format: (item: unknown) => unknown): unknown {
  if (source === null || source === undefined) return null
  const formatOne = (item: unknown): unknown => settle(format(item))
  if (isPage(source)) return source.items.map(formatOne)
  return Array.isArray(source) ? source.map(formatOne) : formatOne(settle(source))
}

function settle(value: unknown): unknown {
  if (isThenable(value)) {
    ignoreFailure(value)
    throw new MisuseError(
      'format_promise',
      'formatData and its callback are synchronous: await the value before you format it.',
    )
  }
  return value
}
