import { brand } from './reply.js'
import { MisuseError } from './errors.js'
import { isPage, pageMeta, type AnyPage } from './paging/page.js'
import { isThenable } from './promises.js'
import type { Meta } from './types.js'

/** What `formatData` returns: ready to be returned by a handler, or for `send(res, 'ok', data, meta)`. */
export interface Formatted<Data> {
  data: Data
  meta: Meta
}

type ItemOf<Source> = Source extends AnyPage<infer Item> | readonly (infer Item)[] ? Item : NonNullable<Source>

type DataOf<Source, Result> = Source extends null | undefined ? null : Source extends AnyPage | readonly unknown[] ? Result[] : Result

const made = brand()

/** Whether a value came from `formatData`, whatever its keys are. */
export function isFormatted(value: unknown): value is Formatted<unknown> {
  return made.isOn(value)
}

/**
 * Maps what a handler has to what a client sees: each item of a page or a list, or the one record; `null` and `undefined` become `null`.
 *
 * `meta` of a page is `{ total, page, limit }`, by cursor `{ limit, next }`, of everything else `{}`.
 *
 * @throws MisuseError `format_promise` when the callback or the value is a promise: fetch first, format then.
 * @example
 * formatData(await paginate(users, 20), ({ id, name }) => ({ id, name }))
 */
export function formatData<Source, Result>(
  source: Source,
  callback: (item: ItemOf<Source>) => Result extends PromiseLike<unknown> ? never : Result,
): Formatted<DataOf<Source, Result>> {
  const format = callback as (item: unknown) => unknown
  return made.put({ data: dataOf(source, format) as DataOf<Source, Result>, meta: isPage(source) ? pageMeta(source) : {} })
}

function dataOf(source: unknown, format: (item: unknown) => unknown): unknown {
  if (source === null || source === undefined) return null
  const one = (item: unknown): unknown => present(format(item))
  if (isPage(source)) return source.items.map(one)
  return Array.isArray(source) ? source.map(one) : one(present(source))
}

function present(value: unknown): unknown {
  if (isThenable(value)) {
    throw new MisuseError('format_promise', 'formatData and its callback are synchronous: await the value before it is formatted.')
  }
  return value
}
