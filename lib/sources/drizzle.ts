import { MisuseError } from '../errors.js'
import { toCount } from '../paging/page.js'
import type { PageSource } from '../types.js'
import { changed, readRows, sqlTagOf, type Config, type Field, type Fields, type Query, type Row, type Sql, type SqlTag } from './drizzle/query.js'
import { checkOrder, readOrder, type NeverNull, type Order } from './keyset/order.js'
import { counted, sliceAfter, takeTexts, textColumn, textsOf, type KeyedRow } from './keyset/slice-after.js'

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

/** How many rows a query has, whatever it joins, groups or makes distinct. */
async function countRows(query: Query): Promise<number> {
  const sql = sqlTagOf(query)
  const rows = withoutOrder(query.config)
  const counting = selectsRowsAsTheyAre(rows)
    ? query.dialect.buildSelectQuery({ ...rows, fields: { count: sql`count(*) as count` } })
    : sql`select count(*) as count from (${query.dialect.buildSelectQuery(rows)}) as counted`
  return toCount(await query.session.count(counting))
}

/** Rows are counted neither in order nor under a lock. */
function withoutOrder(config: Config): Config {
  const setOperators = config.setOperators.map((part, index, all) => index === all.length - 1 ? { ...part, orderBy: undefined } : part)
  return { ...config, orderBy: undefined, lockingClause: undefined, setOperators }
}

/** Such a query is counted without a subquery, in which MySQL would refuse two columns of one name, as a join has them. */
function selectsRowsAsTheyAre({ groupBy, having, distinct, setOperators, fields }: Config): boolean {
  const changing = [groupBy, having, distinct, setOperators[0]]
  return changing.every((part) => part === undefined || part === false) && holdsColumnsOnly(fields)
}

function holdsColumnsOnly(fields: Fields): boolean {
  return Object.values(fields).every((field) => isField(field) ? field.columnType !== undefined : holdsColumnsOnly(field))
}

function isField(field: Field | Fields): field is Field {
  return typeof field.getSQL === 'function'
}

/** The same query in this order. */
function orderedBy(query: Query, { keys }: Order): Query {
  if (keys.length === 0) return query
  const sql = sqlTagOf(query)
  return changed(query, {
    orderBy: keys.map(({ column, descending }) => descending ? sql`${selected(query, column)} desc` : sql`${selected(query, column)}`),
  })
}

/** The rows behind the one with these values, each with the texts of its keys. */
async function readBehind<Found>(query: Query, order: Order, values: readonly unknown[] | null, limit: number): Promise<KeyedRow<Found>[]> {
  const sql = sqlTagOf(query)
  const { where, fields } = query.config
  const texts = order.keys.map(({ column }, index) => [textColumn(index), sql`concat(${selected(query, column)})`])
  const keyed = changed(query, { fields: { ...fields, ...Object.fromEntries(texts) as Fields } })
  const behind = values === null ? keyed : changed(keyed, { where: withWhere(sql, where, isBehind(sql, query, order, textsOf(values))) })
  const rows = await readRows(behind, limit)
  return rows.map((row) => takeTexts<Found>(row, order.keys.map(({ column }) => at(row, column))))
}

function withWhere(sql: SqlTag, where: unknown, behind: Sql): Sql {
  return where === undefined ? behind : sql`(${where}) and (${behind})`
}

function isBehind(sql: SqlTag, query: Query, { keys }: Order, values: readonly unknown[]): Sql {
  const conditions = keys.map(({ column, descending }, index) => {
    const key = selected(query, column)
    const value = values[index]
    return descending
      ? { beyond: sql`${key} < ${value}`, bound: sql`${key} <= ${value}` }
      : { beyond: sql`${key} > ${value}`, bound: sql`${key} >= ${value}` }
  })
  // The bound is implied by what it stands beside; with it a database begins in the right place of an index.
  return conditions.reduceRight<Sql>((rest, { beyond, bound }, index) => (
    index === keys.length - 1 ? beyond : sql`${bound} and (${beyond} or (${rest}))`
  ), sql``)
}

/** A selected column or expression by the path that it has in a row, `posts.createdAt`. */
function selected(query: Query, path: string): Sql | Field {
  const field = at(query.config.fields, path) as Partial<Field> | undefined
  if (typeof field?.getSQL !== 'function') {
    throw new MisuseError('drizzle_key', `The query selects no "${path}": a key is named as in a row, 'posts.id' in a join.`)
  }
  return field.sql ?? field as Field
}

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, name) => (
    typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name) ? (inner as Row)[name] : undefined
  ), value)
}
