import { MisuseError } from '../errors.js'
import type { PageSource } from '../types.js'
import { countRows } from './drizzle/count.js'
import { orderedBy, readBehind } from './drizzle/keyset.js'
import { changed, readRows, type Config, type Query } from './drizzle/query.js'
import { checkOrder } from './keyset/check-order.js'
import { counted } from './keyset/counted.js'
import { readOrder, type NeverNull, type Order } from './keyset/key.js'
import { sliceAfter } from './keyset/slice-after.js'

/** A select query of drizzle's, met by structure alone. */
export interface DrizzleQuery<Row> {
  readonly _: { readonly result: Row[]; readonly selectMode: unknown }
}

/** A column under the name that it has in a row, in a join with its table: `'id'`, `'posts.id'`. */
type Column<Row> =
  | NeverNull<Row>
  | { [K in keyof Row & string]: Row[K] extends Tabled ? `${K}.${NeverNull<Row[K]>}` : never }[keyof Row & string]

type Tabled = Readonly<Record<string, unknown>>

export interface DrizzleOptions<Row> {
  /**
   * The whole order, which gives stable cursors: selected columns as they stand in a row (`'posts.id'` in a join), the last one unique,
   * none of them nullable (a comparison passes over rows with a null).
   *
   * @default the query's own order, without cursors
   */
  readonly by?: readonly `${'' | '-'}${Column<Row>}`[]
}

/**
 * A select query of drizzle's as a source for `paginate`; with `by` on PostgreSQL, MySQL and MariaDB, without it on SQLite too.
 *
 * The count is of the very same query, whatever it joins, groups or makes distinct. The query must have an order: its own, best ending in
 * a unique column, or `by`. With `by`, a cursor holds the keys of the last row as the database writes them, so that neither microseconds
 * nor large integers are lost, and rows that come or go elsewhere disturb nothing. A relational query (`db.query.posts.findMany`) has no
 * count: write it as a select.
 *
 * @throws MisuseError `drizzle_option_unknown` for an option that does not exist, `drizzle_query` when the query is none or has a limit or an offset; `drizzle_order` when it has no order or two;
 * `drizzle_key` when a key is not selected. When pages are read: `drizzle_cursor` when a cursor is asked without `by`, `drizzle_key` when
 * a key is null, `cursor_length` when the keys are texts too long for a cursor.
 * @throws ValidationError naming `cursor`, when pages are read by one that was made for another order.
 * @example
 * const published = db.select().from(posts).where(eq(posts.status, 'published'))
 * await paginate(fromDrizzle(published, { by: ['-createdAt', 'id'] }), { cursor: '', limit: 20 })
 */
export function fromDrizzle<Row>(query: DrizzleQuery<Row>, options: DrizzleOptions<Row> = {}): PageSource<Row> {
  const order = readOrder('drizzle', options)
  const select = checkedQuery(query, order)
  const ordered = orderedBy(select, order)
  const slice = (offset: number, limit: number) => readRows(ordered, limit, offset) as Promise<Row[]>
  return {
    ...counted(slice, () => countRows(select)),
    sliceAfter: sliceAfter<Row>('drizzle', order, (values, limit) => readBehind(ordered, order, values, limit)),
  }
}

function checkedQuery(query: unknown, order: Order): Query {
  if (!isSelect(query)) throw new MisuseError('drizzle_query', 'fromDrizzle takes a select query, as in db.select().from(posts).')
  const { config } = query
  const outermost = config.setOperators.at(-1) ?? config
  if (outermost.limit !== undefined || outermost.offset !== undefined) {
    throw new MisuseError('drizzle_query', 'The query has a limit or an offset, which a page sets itself.')
  }
  checkOrder('drizzle', order, outermost.orderBy !== undefined && outermost.orderBy.length > 0)
  if (order.keys.length > 0) checkKeyed(config)
  // A query of drizzle's changes in place, and pages are read later.
  return changed(query, {})
}

function checkKeyed({ setOperators, distinct }: Config): void {
  if (setOperators.length > 0 || typeof distinct === 'object') {
    throw new MisuseError('drizzle_order', "`by` needs a union or `distinct on` in a subquery: db.select().from(query.as('rows')).")
  }
}

function isSelect(query: unknown): query is Query {
  if (typeof query !== 'object' || query === null || !('config' in query)) return false
  return isSelectConfig(query.config) && 'session' in query && 'prepare' in query
}

function isSelectConfig(config: unknown): boolean {
  return typeof config === 'object' && config !== null && 'setOperators' in config
}
