import { MisuseError } from '../errors.js'
import type { PageSource } from '../types.js'
import { checkOrder } from './keyset/check-order.js'
import { counted } from './keyset/counted.js'
import { readOrder, type NeverNull, type Order } from './keyset/key.js'
import { sliceAfter } from './keyset/slice-after.js'
import type { Builder, QueryNode } from './kysely/builder.js'
import { countRows } from './kysely/count.js'
import { orderedBy, readBehind } from './kysely/keyset.js'

/** A `SelectQueryBuilder` of kysely's, met by structure alone. */
export interface KyselyQuery<Row> {
  readonly isSelectQueryBuilder: true
  execute(): Promise<Row[]>
}

/** A column that orders rows, `-` in front for descending, its table where it needs one: `'id'`, `'-posts.createdAt'`. */
export type OrderKey<Row> = `${'' | '-'}${'' | `${string}.`}${NeverNull<Row>}`

export interface KyselyOptions<Row> {
  /**
   * The whole order, which gives stable cursors: selected columns under their own names, the last one unique, none of them nullable
   * (a comparison passes over rows with a null).
   *
   * @default the query's own order, without cursors
   */
  readonly by?: readonly OrderKey<Row>[]
}

/**
 * A query of kysely's as a source for `paginate`, on PostgreSQL, MySQL and MariaDB.
 *
 * The count is of the very same query, whatever it joins, groups or makes distinct. The query must have an order: its own, best ending in
 * a unique column, or `by`. With `by`, a cursor holds the keys of the last row as the database writes them, so that neither microseconds
 * nor large integers are lost, and rows that come or go elsewhere disturb nothing.
 *
 * @throws MisuseError `kysely_option_unknown` for an option that does not exist, `kysely_query` when the query is none or has a limit or an offset; `kysely_order` when it has no order or two.
 * When pages are read: `kysely_cursor` when a cursor is asked without `by`, `kysely_key` when a key is null or not selected,
 * `cursor_length` when the keys are texts too long for a cursor.
 * @throws ValidationError naming `cursor`, when pages are read by one that was made for another order.
 * @example
 * const posts = db.selectFrom('posts').selectAll().where('status', '=', 'published')
 * await paginate(fromKysely(posts, { by: ['-createdAt', 'id'] }), { cursor: '', limit: 20 })
 */
export function fromKysely<Row>(query: KyselyQuery<Row>, options: KyselyOptions<Row> = {}): PageSource<Row> {
  const order = readOrder('kysely', options)
  const unordered = builderOf(query, order)
  const ordered = orderedBy(unordered, order)
  const slice = (offset: number, limit: number): Promise<Row[]> => ordered.limit(limit).offset(offset).execute() as Promise<Row[]>
  return {
    ...counted(slice, () => countRows(unordered)),
    sliceAfter: sliceAfter<Row>('kysely', order, (values, limit) => readBehind(ordered, order, values, limit)),
  }
}

function builderOf(query: unknown, order: Order): Builder {
  if (!isBuilder(query)) throw new MisuseError('kysely_query', 'fromKysely takes a select query, as in db.selectFrom(…).selectAll().')
  const node = query.toOperationNode()
  if (node.limit !== undefined || node.offset !== undefined) {
    throw new MisuseError('kysely_query', 'The query has a limit or an offset, which a page sets itself.')
  }
  checkOrder('kysely', order, node.orderBy !== undefined)
  if (order.keys.length > 0) checkKeyed(node)
  return query
}

function checkKeyed(node: QueryNode): void {
  if (node.setOperations !== undefined || node.distinctOn !== undefined) {
    throw new MisuseError('kysely_order', "`by` needs a union or `distinct on` in a subquery: db.selectFrom(query.as('rows')).selectAll().")
  }
}

function isBuilder(query: unknown): query is Builder {
  return typeof query === 'object' && query !== null && 'isSelectQueryBuilder' in query && query.isSelectQueryBuilder === true
}
