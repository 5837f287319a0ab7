import { hasProperties, MisuseError, toCount, mapValues, type PageSource } from '../../core/index.js'
import { statementOf, Text, type Config, type Field, type Fields, type Query, type Sql } from './library.js'
import { sql as piece, writePiece, type Sql as Piece } from '../sql/statement.js'
import { inherit, type Row } from '../sql/table.js'
import { bareName, checkPaged, has, readOrder, type Key, type NeverNull, type Order,
  type OrderOptions } from '../sql/keyset/order.js'
import type { MysqlQuery } from '../sql/keyset/mysql.js'
import { sqlSource } from '../sql/keyset/sql-source.js'

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
  readonly by?: readonly `${'' | '-'}${Column<Row> | NoInfer<Nullable>}`[] | undefined
  /** The columns of `by` that may be null: nulls come last, in both directions. @default none */
  readonly nullable?: readonly Nullable[] | undefined
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
  options?: DrizzleOptions<Row, Nullable>,
): PageSource<Row>
export function fromDrizzle(query: unknown, options: OrderOptions = {}): PageSource<Row> {
  const order = readOrder('drizzle', options)
  const select = checkQuery(query, order)
  const ordered = orderQuery(select, order.keys)
  return sqlSource('drizzle', order, {
    slice: (offset, limit) => readRows(ordered, limit, offset),
    count: () => countRows(select),
    mysql: () => mysqlOf(select),
    read: (columns) => {
      const keyed = withColumns(select, columns)
      return (condition, keys, limit) => {
        const after = condition === undefined ? keyed : withWhere(keyed, write(select, condition))
        return readRows(orderQuery(after, keys), limit)
      }
    },
    keyIn: at,
  })
}

function checkQuery(query: unknown, order: Order): Query {
  if (!isSelect(query))
    throw new MisuseError(
      'drizzle_query',
      'fromDrizzle was given something other than a select query. Give it db.select().from(posts).',
    )
  const { config } = query
  const outermost = config.setOperators.at(-1) ?? config
  checkPaged('drizzle', order, {
    isLimited: outermost.limit !== undefined || outermost.offset !== undefined,
    isOrdered: outermost.orderBy !== undefined && outermost.orderBy.length > 0,
    isCombined: config.setOperators.length > 0 || typeof config.distinct === 'object',
    subquery: "db.select().from(query.as('rows'))",
  })
  // A query of drizzle is mutable, and pages are read later.
  return changeCopy(query, {})
}

function isSelect(query: unknown): query is Query {
  return has(query, 'config', 'session', 'prepare') && has(query.config, 'setOperators')
}

/** Counts the rows of a query, with its joins, groups and `distinct`. */
async function countRows(query: Query): Promise<number> {
  const rows = withoutOrder(query.config)
  const { dialect, session } = query
  const counting = selectsRowsAsTheyAre(rows)
    ? dialect.buildSelectQuery({ ...rows, fields: { count: write(query, piece`count(*) as count`) } })
    : write(query, piece`select count(*) as count from (${{ raw: dialect.buildSelectQuery(rows) }}) as counted`)
  return toCount(await session.count(counting))
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

function isField(field: unknown): field is Field {
  return has(field, 'getSQL') && typeof field.getSQL === 'function'
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

function mysqlOf(query: Query): MysqlQuery | undefined {
  if (query.dialect.escapeName?.('') !== '``') return undefined
  return {
    text: () => query.toSQL().sql,
    nameOf: (column) => {
      const { name } = selectRows(query, column)
      return name ?? bareName(column)
    },
    compute: async (asked) =>
      (await readRows(changeCopy(query, { fields: { asked: write(query, asked) } }), 1))[0]?.asked,
  }
}

/** Selects expressions besides the columns of a query. */
function withColumns(query: Query, columns: Readonly<Record<string, Piece>>): Query {
  const more = mapValues(columns, (each) => write(query, each))
  return changeCopy(query, { fields: { ...query.config.fields, ...more } })
}

/** Returns a changed copy of a query, which is mutable itself. */
function changeCopy(query: Query, changes: Partial<Config>): Query {
  return inherit(query, { config: { value: { ...query.config, ...changes } } })
}

/** Reads the rows of a query from an offset; a union has its limit on its last part. */
async function readRows(query: Query, limit: number, offset?: number): Promise<Row[]> {
  const { setOperators } = query.config
  const last = setOperators.at(-1)
  const limits = last === undefined
    ? { limit, offset }
    : { setOperators: [...setOperators.slice(0, -1), { ...last, limit, offset }] }
  return await changeCopy(query, limits).prepare().execute()
}

function withWhere(query: Query, after: Sql): Query {
  const { where } = query.config
  return changeCopy(query, {
    where: where === undefined ? after : write(query, piece`(${{ raw: where }}) and (${{ raw: after }})`),
  })
}

/** Makes a Drizzle statement: text between columns, as they are selected, bound values and other statements. */
function write(query: Query, statement: Piece): Sql {
  return statementOf(
    query.dialect.buildSelectQuery(query.config),
    writePiece<unknown>(statement, {
      text: (text) => new Text(text),
      column: (column) => selectRows(query, column),
      value: (value) => value,
      raw: (part) => part,
    }),
  )
}

/** Returns a selected column or expression by its path in a row, such as `posts.createdAt`. */
function selectRows(query: Query, path: string): Field {
  const field = at(query.config.fields, path)
  if (!isField(field)) {
    throw new MisuseError(
      'drizzle_key',
      `The query does not select the key "${path}". Select it, and name it as in a row: 'posts.id' in a join.`,
    )
  }
  return field.sql ?? field
}

function at(value: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, name) => (
    hasProperties(inner) && Object.hasOwn(inner, name) ? inner[name] : undefined
  ), value)
}
