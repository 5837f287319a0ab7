import { MisuseError } from '../errors.js'
import type { PageSource } from '../types.js'
import type { Builder, QueryNode } from './kysely/builder.js'
import { countRows } from './kysely/count.js'
import { orderedBy, readKeys, sliceAfter, type Key } from './kysely/keyset.js'

/** A `SelectQueryBuilder` of kysely's, met by structure alone. */
export interface KyselyQuery<Row> {
  readonly isSelectQueryBuilder: true
  execute(): Promise<Row[]>
}

/** A column that orders rows, `-` in front for descending, its table where it needs one: `'id'`, `'-posts.createdAt'`. */
export type OrderKey<Row> = `${'' | '-'}${'' | `${string}.`}${NeverNull<Row>}`

type NeverNull<Row> = { [K in keyof Row & string]: unknown extends Row[K] ? K : null extends Row[K] ? never : K }[keyof Row & string]

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
 * @throws MisuseError `kysely_query` when the query is none or has a limit or an offset; `kysely_order` when it has no order or two.
 * When pages are read: `kysely_cursor` when a cursor is asked without `by`, `kysely_key` when a key is null or not selected,
 * `cursor_length` when the keys are texts too long for a cursor.
 * @throws ValidationError naming `cursor`, when pages are read by one that was made for another order.
 * @example
 * const posts = db.selectFrom('posts').selectAll().where('status', '=', 'published')
 * await paginate(fromKysely(posts, { by: ['-createdAt', 'id'] }), { cursor: '', limit: 20 })
 */
export function fromKysely<Row>(query: KyselyQuery<Row>, { by }: KyselyOptions<Row> = {}): PageSource<Row> {
  const keys = readKeys(by ?? [])
  const unordered = builderOf(query, keys)
  const ordered = orderedBy(unordered, keys)
  const slice = (offset: number, limit: number): Promise<Row[]> => ordered.limit(limit).offset(offset).execute() as Promise<Row[]>
  const count = (): Promise<number> => countRows(unordered)
  return {
    slice,
    count,
    async sliceAndCount(offset, limit) {
      const items = await slice(offset, limit)
      // A page that is not full is the last one, and tells how many rows there are.
      const isLast = items.length < limit && (items.length > 0 || offset === 0)
      return { items, total: isLast ? offset + items.length : await count() }
    },
    async sliceAfter(position, limit) {
      if (keys.length === 0) {
        throw new MisuseError('kysely_cursor', "A cursor needs an order that ends in a unique column: fromKysely(query, { by: ['id'] }).")
      }
      const { rows, next } = await sliceAfter(ordered, keys, position, limit)
      return { items: rows as Row[], next }
    },
  }
}

function builderOf(query: unknown, keys: readonly Key[]): Builder {
  if (!isBuilder(query)) throw new MisuseError('kysely_query', 'fromKysely takes a select query, as in db.selectFrom(…).selectAll().')
  const node = query.toOperationNode()
  if (node.limit !== undefined || node.offset !== undefined) {
    throw new MisuseError('kysely_query', 'The query has a limit or an offset, which a page sets itself.')
  }
  if (keys.length > 0) checkKeyed(node)
  else if (node.orderBy === undefined) {
    throw new MisuseError('kysely_order', 'Pages without an order repeat and miss rows: call orderBy, or give { by }, a unique key last.')
  }
  return query
}

function checkKeyed(node: QueryNode): void {
  if (node.orderBy !== undefined) throw new MisuseError('kysely_order', 'The query has an order already, and `by` is the whole order.')
  if (node.setOperations !== undefined || node.distinctOn !== undefined) {
    throw new MisuseError('kysely_order', "`by` needs a union or `distinct on` in a subquery: db.selectFrom(query.as('rows')).selectAll().")
  }
}

function isBuilder(query: unknown): query is Builder {
  return typeof query === 'object' && query !== null && 'isSelectQueryBuilder' in query && query.isSelectQueryBuilder === true
}
