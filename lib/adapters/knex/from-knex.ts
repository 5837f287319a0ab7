import { isList, MisuseError, toCount, type PageSource } from '../../core/index.js'
import { sql, type Sql } from '../sql/statement.js'
import { bareName, checkPaged, has, readOrder, type Key, type NeverNull, type Order,
  type OrderOptions } from '../sql/keyset/order.js'
import type { MysqlQuery } from '../sql/keyset/mysql.js'
import type { Row } from '../sql/table.js'
import { sqlSource } from '../sql/keyset/sql-source.js'
import { toRaw, type Builder, type Statement } from './builder.js'

/** A select query of knex, by structure. */
export interface KnexQuery<Row> extends PromiseLike<readonly Row[]> {
  clone(): unknown
  toSQL(): unknown
}

/** A column by its name, its table in front where it needs one: `'id'`, `'posts.created_at'`. */
type Named<Column extends string> = `${'' | `${string}.`}${Column}`

export interface KnexOptions<Row, Nullable extends keyof Row & string = never> {
  /**
   * The whole order, which gives stable cursors: selected columns under their own names, `-` in front for descending,
   * the last one unique.
   *
   * @default the query's own order, without cursors
   */
  readonly by?: readonly `${'' | '-'}${Named<NeverNull<Row> | NoInfer<Nullable>>}`[] | undefined
  /** The columns of `by` that may be null: nulls come last, in both directions. @default none */
  readonly nullable?: readonly Named<Nullable>[] | undefined
}

/**
 * A Knex query as a source for `paginate`; with `by` on PostgreSQL, MySQL and MariaDB, without it on any database
 * of knex's.
 *
 * The count is of the same query, with its joins, groups and `distinct`. The query must have an order: its own,
 * preferably ending in a unique column, or `by`. With `by`, a cursor holds the keys of the last row as the database
 * writes them, so that neither microseconds nor large integers are lost, and rows that come or go elsewhere disturb
 * nothing.
 *
 * @throws MisuseError `knex_option_unknown` for an option that does not exist, `knex_query` when the query is no list
 * of rows or has a limit or an offset; `knex_order` when it has no order or two. When pages are read: `knex_cursor`
 * when a cursor is requested without `by`, `knex_key` when a key is null or not selected, `cursor_length` when the keys
 * are texts too long for a cursor.
 * @throws ValidationError naming `cursor`, when pages are read by one that was made for another order.
 * @example
 * const posts = knex<Post>('posts').where('status', 'published')
 * await paginate(fromKnex(posts, { by: ['-created_at', 'id'] }), { cursor: '', limit: 20 })
 */
export function fromKnex<Row, const Nullable extends keyof Row & string = never>(
  query: KnexQuery<Row>,
  options?: KnexOptions<Row, Nullable>,
): PageSource<Row>
export function fromKnex(query: unknown, options: OrderOptions = {}): PageSource<Row> {
  const order = readOrder('knex', options)
  const builder = checkBuilder(query, order)
  const ordered = orderBy(builder, order.keys)
  return sqlSource('knex', order, {
    slice: async (offset, limit) => ordered.clone().limit(limit).offset(offset),
    count: () => countRows(builder),
    mysql: () => mysqlOf(builder),
    read: (columns) => {
      const nameOf = namesIn(builder)
      return async (condition, keys, limit) => {
        const after = condition === undefined
          ? builder.clone()
          : withWhere(builder, toRaw(builder.client, condition, nameOf))
        return orderBy(withColumns(after, columns, nameOf), keys).limit(limit)
      }
    },
  })
}

function checkBuilder(query: unknown, order: Order): Builder {
  if (!isBuilder(query) || query._method !== 'select') {
    throw new MisuseError(
      'knex_query',
      "fromKnex was given something other than a query for rows. Give it knex('posts').select('id', 'title').",
    )
  }
  const { _single, _statements } = query
  checkPaged('knex', order, {
    isLimited: (_single.limit ?? _single.offset ?? null) !== null,
    isOrdered: _statements.some(({ grouping }) => grouping === 'order'),
    isCombined: _statements.some(({ grouping, distinctOn }) => grouping === 'union' || distinctOn === true),
    subquery: "knex.from(query.as('rows'))",
  })
  // A query of knex is mutable, and pages are read later.
  return query.clone()
}

function isBuilder(query: unknown): query is Builder {
  return has(query, '_statements', '_single', 'client')
}

/** Counts the rows of a query, with its joins, groups and `distinct`. */
async function countRows(query: Builder): Promise<number> {
  const rows = query.clone().clearOrder()
  const counting = selectsRowsAsTheyAre(query)
    ? rows.clearSelect()
    : query.client.queryBuilder().from(rows.as('counted'))
  const [row] = await counting.count('* as total')
  return toCount(row?.total)
}

/**
 * Such a query is counted without a subquery, in which MySQL would refuse two columns of one name, as a join has them.
 */
function selectsRowsAsTheyAre({ _statements, _single }: Builder): boolean {
  return (
    _single.lock === undefined
    && _statements.every((statement) => !CHANGING.has(statement.grouping) && !isComputed(statement))
  )
}

const CHANGING = new Set(['group', 'having', 'union'])

function isComputed({ grouping, type, value, distinct, distinctOn }: Statement): boolean {
  if (grouping !== 'columns') return false
  const isPlain = type === undefined && distinct !== true && distinctOn !== true
  return !isPlain || !isList(value) || !value.every((column) => typeof column === 'string')
}

/** The same query in this order, nulls last. */
function orderBy(query: Builder, keys: readonly Key[]): Builder {
  const nameOf = namesIn(query)
  return keys.reduce((ordered, { column, descending, nullable }) => {
    if (nullable) void ordered.orderByRaw(toRaw(query.client, sql`${{ column }} is null`, nameOf))
    return ordered.orderBy(column, descending ? 'desc' : 'asc')
  }, query.clone())
}

function mysqlOf(query: Builder): MysqlQuery | undefined {
  if (query.client.dialect !== 'mysql') return undefined
  const nameOf = namesIn(query)
  return {
    text: () => query.toSQL().sql,
    nameOf: (column) => bareName(nameOf(column)),
    compute: async (selection) => (await withColumns(query.clone(), { asked: selection }, nameOf).limit(1))[0]?.asked,
  }
}

/** Maps each selected name to its column: a condition on a bare name would mean a column of any joined table. */
function columnsByName({ _statements }: Builder): ReadonlyMap<string, string> {
  const columns = _statements.flatMap(({ grouping, value }) => grouping === 'columns' && isList(value) ? value : [])
  const named = columns.filter((column) => typeof column === 'string').map((column): [string, string] => {
    const [, inner = column, alias] = /^(.+?)\s+as\s+(.+)$/i.exec(column) ?? []
    return [alias ?? bareName(inner), inner]
  })
  return new Map(named.filter(([name]) => name !== '*'))
}

/**
 * Adds the condition of a cursor. The query's own conditions stay in parentheses: `a or b and after` would mean
 * something else.
 */
function withWhere(query: Builder, condition: unknown): Builder {
  const own = query._statements.filter(({ grouping }) => grouping === 'where')
  const rest = query.clone().clearWhere()
  const grouped = own.length === 0 ? rest : rest.where((group) => void group._statements.push(...own))
  return grouped.whereRaw(condition)
}

/** Selects expressions besides the columns of a query. */
function withColumns(
  query: Builder,
  columns: Readonly<Record<string, Sql>>,
  nameOf: (column: string) => string,
): Builder {
  const isBare = query._statements.every(({ grouping }) => grouping !== 'columns')
  return Object.entries(columns).reduce(
    (more, [name, piece]) => more.select(toRaw(query.client, [...piece, ' as ', { column: name }], nameOf)),
    isBare ? query.select('*') : query,
  )
}

/** Returns a function that names a column of the result as the query selects it. */
function namesIn(query: Builder): (column: string) => string {
  const selected = columnsByName(query)
  return (column) => selected.get(column) ?? column
}
