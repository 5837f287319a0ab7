import { MisuseError, toCount, type PageSource } from '../../core/index.js'
import { Text } from './library.js'
import { sql as piece, writePiece, type Sql as Piece } from '../sql/statement.js'
import { changeCopy, readRows, sqlTagOf, statementOf, type Config, type Field, type Fields, type Query, type Row,
  type Sql } from './query.js'
import { readAfter } from '../sql/keyset/after.js'
import { checkOrder, readOrder, type Key, type NeverNull, type Order } from '../sql/keyset/order.js'
import { askingForText, readKeyed, type MysqlQuery } from '../sql/keyset/mysql.js'
import { countingSource, sliceAfter, takeTexts, textsOf, type KeyedRow,
  type ReadAfter } from '../sql/keyset/slice-after.js'

/** A select query of drizzle, by structure. */
export interface DrizzleQuery<Row> {
  readonly _: { readonly result: Row[]; readonly selectMode: unknown }
}

/** A column under its name in a row, with its table in a join: `'id'`, `'posts.id'`. */
type Column<Row> =
  | NeverNull<Row>
  | { [K in keyof Row & string]: Row[K] extends Tabled ? `${K}.${NeverNull<Row[K]>}` : never }[keyof Row & string]

type Tabled = Readonly<Record<string, unknown>>

/** The same of columns that may be null. */
type NullableColumn<Row> =
  | (keyof Row & string)
  | {
    [K in keyof Row & string]: Row[K] extends Tabled | null ? `${K}.${keyof NonNullable<Row[K]> & string}` : never
  }[keyof Row & string]

export interface DrizzleOptions<Row, Nullable extends NullableColumn<Row> = never> {
  /**
   * The whole order, which gives stable cursors: selected columns as named in a row (`'posts.id'` in a join), `-`
   * in front for descending, the last one unique.
   *
   * @default the query's own order, without cursors
   */
  readonly by?: readonly `${'' | '-'}${Column<Row> | NoInfer<Nullable>}`[]
  /**
   * The columns of `by` that may be null: nulls come last, in both directions.
   *
   * @default none
   */
  readonly nullable?: readonly Nullable[]
}

/**
 * A Drizzle select query as a source for `paginate`; with `by` on PostgreSQL, MySQL and MariaDB, without it on
 * SQLite too.
 *
 * The count is of the same query, with its joins, groups and `distinct`. The query must have an order: its own,
 * preferably ending in a unique column, or `by`. With `by`, a cursor holds the keys of the last row as the database
 * writes them, so that neither microseconds nor large integers are lost, and rows that come or go elsewhere disturb
 * nothing. A relational query (`db.query.posts.findMany`) has no count: write it as a select.
 *
 * @throws MisuseError `drizzle_option_unknown` for an option that does not exist, `drizzle_query` when the query is
 * none or has a limit or an offset; `drizzle_order` when it has no order or two; `drizzle_key` when a key is not
 * selected. When pages are read: `drizzle_cursor` when a cursor is requested without `by`, `drizzle_key` when a key is
 * null, `cursor_length` when the keys are too long for a cursor.
 * @throws ValidationError naming `cursor`, when pages are read by one that was made for another order.
 * @example
 * const published = db.select().from(posts).where(eq(posts.status, 'published'))
 * await paginate(fromDrizzle(published, { by: ['-createdAt', 'id'] }), { cursor: '', limit: 20 })
 */
export function fromDrizzle<Row, const Nullable extends NullableColumn<Row> = never>(
  query: DrizzleQuery<Row>,
  options: DrizzleOptions<Row, Nullable> = {},
): PageSource<Row> {
  const order = readOrder('drizzle', options)
  const select = checkQuery(query, order)
  const ordered = orderQuery(select, order.keys)
  const slice = (offset: number, limit: number) => readRows(ordered, limit, offset) as Promise<Row[]>
  const mysql = mysqlOf(select)
  const read = readerAfter<Row>(select, order, mysql)
  return {
    ...countingSource(slice, () => countRows(select)),
    sliceAfter: sliceAfter<Row>('drizzle', order, read, askingForText(mysql, order.keys)),
  }
}

function checkQuery(query: unknown, order: Order): Query {
  if (!isSelect(query))
    throw new MisuseError(
      'drizzle_query',
      'fromDrizzle was given something other than a select query. Give it db.select().from(posts).',
    )
  const { config } = query
  const outermost = config.setOperators.at(-1) ?? config
  if (outermost.limit !== undefined || outermost.offset !== undefined) {
    throw new MisuseError('drizzle_query', 'The query has a limit or an offset, which the page sets. Remove it.')
  }
  checkOrder('drizzle', order, outermost.orderBy !== undefined && outermost.orderBy.length > 0)
  if (order.keys.length > 0) checkKeyed(config)
  // A query of drizzle is mutable, and pages are read later.
  return changeCopy(query, {})
}

function checkKeyed({ setOperators, distinct }: Config): void {
  if (setOperators.length > 0 || typeof distinct === 'object') {
    throw new MisuseError(
      'drizzle_order',
      '`by` was given for a query with a union or `distinct on`. '
        + "Put it into a subquery: db.select().from(query.as('rows')).",
    )
  }
}

function isSelect(query: unknown): query is Query {
  if (typeof query !== 'object' || query === null || !('config' in query)) return false
  return isSelectConfig(query.config) && 'session' in query && 'prepare' in query
}

function isSelectConfig(config: unknown): boolean {
  return typeof config === 'object' && config !== null && 'setOperators' in config
}

/** Counts the rows of a query, with its joins, groups and `distinct`. */
async function countRows(query: Query): Promise<number> {
  const sql = sqlTagOf(query)
  const rows = withoutOrder(query.config)
  const counting = selectsRowsAsTheyAre(rows)
    ? query.dialect.buildSelectQuery({ ...rows, fields: { count: sql`count(*) as count` } })
    : sql`select count(*) as count from (${query.dialect.buildSelectQuery(rows)}) as counted`
  return toCount(await query.session.count(counting))
}

/** Removes the order and the lock, which a count does not need. */
function withoutOrder(config: Config): Config {
  const setOperators = config.setOperators.map((part, index, all) =>
    index === all.length - 1 ? { ...part, orderBy: undefined } : part
  )
  return { ...config, orderBy: undefined, lockingClause: undefined, setOperators }
}

/**
 * Such a query is counted without a subquery, in which MySQL would refuse two columns of one name, as a join has them.
 */
function selectsRowsAsTheyAre({ groupBy, having, distinct, setOperators, fields }: Config): boolean {
  const changing = [groupBy, having, distinct, setOperators[0]]
  return changing.every((part) => part === undefined || part === false) && hasOnlyColumns(fields)
}

function hasOnlyColumns(fields: Fields): boolean {
  return Object.values(fields).every((field) => isField(field) ? field.columnType !== undefined : hasOnlyColumns(field))
}

function isField(field: Field | Fields): field is Field {
  return typeof field.getSQL === 'function'
}

/** The same query in this order, nulls last. */
function orderQuery(query: Query, keys: readonly Key[]): Query {
  if (keys.length === 0) return query
  return changeCopy(query, {
    orderBy: keys.flatMap(({ column, descending, nullable }) => {
      const inOrder = write(query, descending ? piece`${{ column }} desc` : piece`${{ column }}`)
      return nullable ? [write(query, piece`${{ column }} is null`), inOrder] : [inOrder]
    }),
  })
}

/** Makes a function that reads the rows after the one with some values, each with the texts of its keys. */
function readerAfter<Found>(query: Query, { keys }: Order, mysql: MysqlQuery | undefined): ReadAfter<Found> {
  const { where, fields } = query.config
  const withColumns = (columns: Readonly<Record<string, Piece>>): Query => {
    const more = Object.entries(columns).map(([name, each]) => [name, write(query, each)])
    return changeCopy(query, { fields: { ...fields, ...Object.fromEntries(more) as Fields } })
  }
  const read = (keyed: Query) => (condition: Piece | undefined, inOrder: readonly Key[], limit: number) => {
    const after = condition === undefined
      ? keyed
      : changeCopy(keyed, { where: withWhere(query, where, write(query, condition)) })
    return readRows(orderQuery(after, inOrder), limit)
  }
  return (given, limit) => {
    const values = given === null ? null : textsOf(given, mysql !== undefined)
    return readKeyed(mysql, { keys, values, limit }, async (columns): Promise<KeyedRow<Found>[]> => {
      const rows = await readAfter(keys, values, limit, read(withColumns(columns)))
      return rows.map((row) => takeTexts<Found>(row, keys.map(({ column }) => at(row, column))))
    })
  }
}

function mysqlOf(query: Query): MysqlQuery | undefined {
  if (query.dialect.escapeName?.('') !== '``') return undefined
  return {
    text: () => query.toSQL().sql,
    nameOf: (column) => {
      const { name } = selectRows(query, column) as Partial<Field>
      return name ?? column.slice(column.lastIndexOf('.') + 1)
    },
    compute: async (asked) =>
      (await readRows(changeCopy(query, { fields: { asked: write(query, asked) } }), 1))[0]?.asked,
  }
}

function withWhere(query: Query, where: unknown, after: Sql): Sql {
  return where === undefined ? after : sqlTagOf(query)`(${where}) and (${after})`
}

/** Makes a Drizzle statement: text between columns, as they are selected, and bound values. */
function write(query: Query, statement: Piece): Sql {
  return statementOf(
    query,
    writePiece<unknown>(statement, {
      text: (text) => new Text(text),
      column: (column) => selectRows(query, column),
      value: (value) => value,
      raw: () => undefined,
    }),
  )
}

/** Returns a selected column or expression by its path in a row, such as `posts.createdAt`. */
function selectRows(query: Query, path: string): Sql | Field {
  const field = at(query.config.fields, path) as Partial<Field> | undefined
  if (typeof field?.getSQL !== 'function') {
    throw new MisuseError(
      'drizzle_key',
      `The query does not select the key "${path}". Select it, and name it as in a row: 'posts.id' in a join.`,
    )
  }
  return field.sql ?? field as Field
}

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, name) => (
    typeof inner === 'object' && inner !== null && Object.hasOwn(inner, name) ? (inner as Row)[name] : undefined
  ), value)
}
