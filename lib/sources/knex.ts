import { MisuseError } from '../errors.js'
import type { PageSource } from '../types.js'
import { checkOrder } from './keyset/check-order.js'
import { counted } from './keyset/counted.js'
import { readOrder, type NeverNull, type Order } from './keyset/key.js'
import { sliceAfter } from './keyset/slice-after.js'
import type { Builder } from './knex/builder.js'
import { countRows } from './knex/count.js'
import { readBehind } from './knex/keyset.js'

/** A select query of knex's, met by structure alone. */
export interface KnexQuery<Row> extends PromiseLike<readonly Row[]> {
  clone(): unknown
  toSQL(): unknown
}

export interface KnexOptions<Row> {
  /**
   * The whole order, which gives stable cursors: selected columns under their own names, their table in front where they need one
   * (`'-posts.created_at'`), the last one unique, none of them nullable (a comparison passes over rows with a null).
   *
   * @default the query's own order, without cursors
   */
  readonly by?: readonly `${'' | '-'}${'' | `${string}.`}${NeverNull<Row>}`[]
}

/**
 * A query of knex's as a source for `paginate`; with `by` on PostgreSQL, MySQL and MariaDB, without it on any database of knex's.
 *
 * The count is of the very same query, whatever it joins, groups or makes distinct. The query must have an order: its own, best ending in
 * a unique column, or `by`. With `by`, a cursor holds the keys of the last row as the database writes them, so that neither microseconds
 * nor large integers are lost, and rows that come or go elsewhere disturb nothing.
 *
 * @throws MisuseError `knex_option_unknown` for an option that does not exist, `knex_query` when the query is no list of rows or has a limit or an offset; `knex_order` when it has no order or two.
 * When pages are read: `knex_cursor` when a cursor is asked without `by`, `knex_key` when a key is null or not selected,
 * `cursor_length` when the keys are texts too long for a cursor.
 * @throws ValidationError naming `cursor`, when pages are read by one that was made for another order.
 * @example
 * const posts = knex<Post>('posts').where('status', 'published')
 * await paginate(fromKnex(posts, { by: ['-created_at', 'id'] }), { cursor: '', limit: 20 })
 */
export function fromKnex<Row>(query: KnexQuery<Row>, options: KnexOptions<Row> = {}): PageSource<Row> {
  const order = readOrder('knex', options)
  const builder = checkedBuilder(query, order)
  const ordered = order.keys.reduce(
    (sorted, { column, descending }) => sorted.orderBy(column, descending ? 'desc' : 'asc'),
    builder.clone(),
  )
  const slice = async (offset: number, limit: number) => await ordered.clone().limit(limit).offset(offset) as Row[]
  return {
    ...counted(slice, () => countRows(builder)),
    sliceAfter: sliceAfter<Row>('knex', order, (values, limit) => readBehind(ordered, order, values, limit)),
  }
}

function checkedBuilder(query: unknown, order: Order): Builder {
  if (!isBuilder(query) || query._method !== 'select') {
    throw new MisuseError('knex_query', "fromKnex takes a query for a list of rows, as in knex('posts').select('id', 'title').")
  }
  if ((query._single.limit ?? query._single.offset ?? null) !== null) {
    throw new MisuseError('knex_query', 'The query has a limit or an offset, which a page sets itself.')
  }
  checkOrder('knex', order, query._statements.some(({ grouping }) => grouping === 'order'))
  if (order.keys.length > 0) checkKeyed(query)
  // A query of knex's changes in place, and pages are read later.
  return query.clone()
}

function checkKeyed({ _statements }: Builder): void {
  if (_statements.some(({ grouping, distinctOn }) => grouping === 'union' || distinctOn === true)) {
    throw new MisuseError('knex_order', "`by` needs a union or `distinct on` in a subquery: knex.from(query.as('rows')).")
  }
}

function isBuilder(query: unknown): query is Builder {
  return typeof query === 'object' && query !== null && '_statements' in query && '_single' in query && 'client' in query
}
