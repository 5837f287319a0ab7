import { MisuseError } from '../errors.js'
import { toCount } from '../paging/page.js'
import type { PageSource } from '../types.js'
import { checkOrder, readOrder, type Key, type NeverNull, type Order } from './keyset/order.js'
import { counted, sliceAfter, takeTexts, textColumn, textsOf, type KeyedRow } from './keyset/slice-after.js'

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

/** How many rows a query has, whatever it joins, groups or makes distinct. */
async function countRows(query: Builder): Promise<number> {
  const rows = query.clone().clearOrder()
  const counting = selectsRowsAsTheyAre(query) ? rows.clearSelect() : query.client.queryBuilder().from(rows.as('counted'))
  const [row] = await counting.count('* as total')
  return toCount(row?.total)
}

/** Such a query is counted without a subquery, in which MySQL would refuse two columns of one name, as a join has them. */
function selectsRowsAsTheyAre({ _statements, _single }: Builder): boolean {
  return _single.lock === undefined && _statements.every((statement) => !CHANGING.has(statement.grouping) && !isComputed(statement))
}

const CHANGING = new Set(['group', 'having', 'union'])

function isComputed({ grouping, type, value, distinct, distinctOn }: Statement): boolean {
  if (grouping !== 'columns') return false
  const isPlain = type === undefined && distinct !== true && distinctOn !== true
  return !isPlain || !(value as readonly unknown[]).every((column) => typeof column === 'string')
}

/** The rows behind the one with these values, each with the texts of its keys. */
async function readBehind<Found>(query: Builder, order: Order, values: readonly unknown[] | null, limit: number): Promise<KeyedRow<Found>[]> {
  const selected = selectedIn(query)
  const keys = order.keys.map(({ column, descending }) => ({ column: selected.get(column) ?? column, descending }))
  const behind = values === null ? query.clone() : withWhere(query, keys, textsOf(values))
  const rows = await withTexts(behind, keys).limit(limit)
  const properties = order.keys.map(({ column }) => column.slice(column.lastIndexOf('.') + 1))
  return rows.map((row) => takeTexts<Found>(row, properties.map((property) => row[property])))
}

/** Finds what a query selects under each name: a condition on a bare name would mean a column of any joined table. */
function selectedIn({ _statements }: Builder): ReadonlyMap<string, string> {
  const columns = _statements.flatMap(({ grouping, value }) => (grouping === 'columns' && Array.isArray(value) ? value as unknown[] : []))
  const named = columns.filter((column) => typeof column === 'string').map((column): [string, string] => {
    const [, inner = column, alias] = /^(.+?)\s+as\s+(.+)$/i.exec(column) ?? []
    return [alias ?? inner.slice(inner.lastIndexOf('.') + 1), inner]
  })
  return new Map(named.filter(([name]) => name !== '*'))
}

/** What the query asks stays together in parentheses: `a or b and behind` would mean something else. */
function withWhere(query: Builder, keys: readonly Key[], values: readonly unknown[]): Builder {
  const own = query._statements.filter(({ grouping }) => grouping === 'where')
  const rest = query.clone().clearWhere()
  const asked = own.length === 0 ? rest : rest.where((group) => void group._statements.push(...own))
  return asked.where((group) => isBehind(group, keys, values))
}

/** Knex leaves the group out that stays empty, when no key is left. */
function isBehind(group: Builder, [key, ...later]: readonly Key[], [value, ...next]: readonly unknown[]): void {
  if (key === undefined) return
  const sign = key.descending ? '<' : '>'
  // The bound is implied by what it stands beside; with it a database begins in the right place of an index.
  group.where(key.column, `${sign}=`, value).where((either) => void either
    .where(key.column, sign, value)
    .orWhere((equal) => isBehind(equal, later, next)))
}

function withTexts(query: Builder, keys: readonly Key[]): Builder {
  const isBare = query._statements.every(({ grouping }) => grouping !== 'columns')
  return keys.reduce(
    (selected, { column }, index) => selected.select(query.client.raw('concat(??) as ??', [column, textColumn(index)])),
    isBare ? query.select('*') : query,
  )
}

/*
 * What we use of knex 3, by structure: nothing of it is imported, so nothing of it is installed for those who do without.
 */

interface Builder extends PromiseLike<Record<string, unknown>[]> {
  readonly client: { queryBuilder(): Builder; raw(sql: string, bindings: readonly string[]): unknown }
  readonly _method: string
  readonly _single: { readonly limit?: unknown; readonly offset?: unknown; readonly lock?: unknown }
  readonly _statements: Statement[]
  clone(): Builder
  as(alias: string): Builder
  from(source: Builder): Builder
  select(column: unknown): Builder
  count(column: string): Builder
  where(column: string, operator: string, value: unknown): Builder
  where(group: (builder: Builder) => void): Builder
  orWhere(group: (builder: Builder) => void): Builder
  orderBy(column: string, direction: 'asc' | 'desc'): Builder
  limit(limit: number): Builder
  offset(offset: number): Builder
  clearSelect(): Builder
  clearWhere(): Builder
  clearOrder(): Builder
}

/** A part of a query as plain data. */
interface Statement {
  readonly grouping: string
  readonly type?: unknown
  readonly value?: unknown
  readonly distinct?: unknown
  readonly distinctOn?: unknown
}
