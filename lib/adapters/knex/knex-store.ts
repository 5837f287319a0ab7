import { checkOptionNames, MisuseError, propertyOf } from '../../core/index.js'
import type { Place, Store } from '../../crud/contract/index.js'
import { guardPool } from '../sql/pg-pool.js'
import { checkColumns, type ColumnType, type ColumnTypes, type Dialect } from '../sql/kinds.js'
import { sql, type Sql } from '../sql/statement.js'
import { sqlStore } from '../sql/store.js'
import { fieldNames, orderBy, type Inserted, type Row, type Selection, type SqlTable } from '../sql/table.js'
import { toRaw, type Builder } from './builder.js'

/** A Knex, met by structure alone. */
export interface KnexDatabase {
  readonly client: unknown
  raw(...statement: never[]): unknown
  transaction(...work: never[]): unknown
}

/** A query such as `knex<Post>('posts')`, of which the store takes the table and the type of its rows. */
export interface KnexTable<Row> extends PromiseLike<readonly Row[]> {
  clone(): unknown
  toSQL(): unknown
}

/** The types of {@link ColumnTypes} that a value of a row can be read as. */
type TypeOf<Value> = unknown extends Value ? ColumnType
  : {
    [T in ColumnType]: T extends 'json' ? JsonOf<NonNullable<Value>> : [NonNullable<Value>] extends [ColumnTypes[T]] ? T
    : never
  }[ColumnType]
type JsonOf<Value> = Value extends string | number | bigint | boolean | Date ? never : 'json'

export interface KnexStoreOptions<Row> {
  /** The primary key, of one column. @default 'id' */
  readonly key?: keyof Row & string | undefined
  /**
   * The types of columns, if the driver returns other values than the type of the row:
   * `{ id: 'integer', paid: 'boolean', items: 'json' }`. In PostgreSQL, MySQL and MariaDB columns of type DATE are
   * calendar dates, and columns of JSON have their values, also without this.
   *
   * @default as the driver reads them
   */
  readonly columns?: { readonly [K in keyof Row]?: TypeOf<Row[K]> } | undefined
}

/**
 * Makes a store of a Knex table, on PostgreSQL, MySQL, MariaDB and SQLite.
 *
 * The type of a row is that of the query, as in `knexStore(knex, knex<Post>('posts'))`, or a type parameter. `db` is
 * the whole database; inside a transaction the store's own `db` is that transaction, for other tables. In MySQL and
 * MariaDB a key is given by the caller or an auto-increment. The store reads the types and constraints of the table
 * once, at its first use, and compares a column with values of its type alone.
 *
 * @throws MisuseError `knex_dialect` for another kind of database, `knex_table` for an invalid table,
 * `knex_option_unknown` and `knex_columns` for options that do not exist. When the store is used: `store_column` for a
 * column that the table does not have, `store_column_type` for one whose type is not known or is declared as another,
 * `store_condition` for a condition with a value of another type, `store_raw` for a raw condition that is not Knex's.
 * @example
 * const posts = knexStore<Post>(knex, 'posts', { columns: { id: 'integer', dueOn: 'calendarDate' } })
 */
export function knexStore<Row extends object = Record<string, unknown>, Db extends KnexDatabase = KnexDatabase>(
  knex: Db,
  table: string | KnexTable<Row>,
  options?: KnexStoreOptions<NoInfer<Row>>,
): Store<Row, Db>
export function knexStore(
  knex: Knex,
  table: unknown,
  options: { readonly key?: string | undefined; readonly columns?: Readonly<Record<string, unknown>> | undefined } = {},
): Store<Row, Knex> {
  const name = nameOf(table)
  checkOptionNames(`knexStore of \`${name}\``, options, ['key', 'columns'], 'knex_option_unknown')
  const { key = 'id', columns = {} } = options
  checkColumns(`knexStore of \`${name}\``, columns, 'knex_columns')
  const info = { name, dialect: dialectOf(knex), key, columns }
  guardPool(knex.client.config.connectionPool)
  return sqlStore(tableOf(knex, info))
}

/* The part of Knex 3 that the store uses: nothing of it is imported, so that it need not be installed. */

/** A Knex by structure. */
export interface Knex {
  (table: string): Builder
  readonly isTransaction?: boolean
  readonly client: Client
  raw(text: string, bindings: readonly unknown[]): object
  select(...columns: string[]): { from(source: object): PromiseLike<Row[]> }
  transaction<T>(
    work: (transaction: Knex) => Promise<T>,
    options?: { readonly isolationLevel: 'read committed' },
  ): Promise<T>
}

interface Client {
  readonly config: { readonly connectionPool?: unknown }
  readonly dialect: string
  wrapIdentifier(name: string, context: unknown): string
  postProcessResponse(rows: readonly Row[], context: unknown): readonly Row[]
}

const DIALECTS = new Map<string, Dialect>([['postgresql', 'postgres'], ['mysql', 'mysql'], ['sqlite3', 'sqlite']])

/** @throws MisuseError `knex_dialect` */
export function dialectOf(knex: unknown): Dialect {
  const client = typeof knex === 'function' ? propertyOf(knex, 'client') : undefined
  const dialect = DIALECTS.get(String(propertyOf(client, 'dialect')))
  if (dialect !== undefined) return dialect
  throw new MisuseError('knex_dialect', 'knexStore takes a Knex on PostgreSQL, MySQL, MariaDB or SQLite.')
}

function nameOf(table: unknown): string {
  const name = typeof table === 'string' ? table : propertyOf(propertyOf(table, '_single'), 'table')
  if (typeof name === 'string' && name !== '' && !/\sas\s/i.test(name)) return name
  throw new MisuseError(
    'knex_table',
    "knexStore takes a Knex and the name of a table, or a query of one: knexStore(knex, knex<Post>('posts')).",
  )
}

type Known = Pick<SqlTable<Knex>, 'name' | 'dialect' | 'key' | 'columns'>

/** A table on a database or on a transaction of it. */
export function tableOf(knex: Knex, info: Known): SqlTable<Knex> {
  const { name, dialect } = info
  const raw = (piece: Sql): object => toRaw(knex, piece)
  return {
    ...info,
    db: knex,
    isTransaction: knex.isTransaction === true,
    // A Knex and its transactions have clients of their own with one configuration.
    identity: knex.client.config,
    place: () => placeOf(knex.client, name),
    fields: (columns) => fieldNames(columns, (row) => knex.client.postProcessResponse([row], undefined)[0] ?? {}),
    query: async (statement) => knex.select('part', 'name', 'value').from(raw(sql`(${statement}) as described`)),
    select: async (selection) => selectRows(knex(name), selection, raw),
    count: async (where) => (await knex(name).whereRaw(raw(where)).count('* as total'))[0]?.total,
    compute: async (where, expressions) => {
      const fields = Object.entries(expressions).map(([alias, piece]) => raw([...piece, ` as ${alias}`]))
      return (await knex(name).whereRaw(raw(where)).select(...fields))[0] ?? {}
    },
    insert: (row) => insertRow(knex(name), row, dialect),
    hasNoDefaults: true,
    insertMany: dialect === 'mysql' ? undefined : async (rows) => knex(name).insert(rows).returning('*'),
    update: async (changes, where) => knex(name).whereRaw(raw(where)).update(updatable(changes)),
    updateReturning: dialect === 'mysql'
      ? undefined
      : async (changes, where) => knex(name).whereRaw(raw(where)).update(updatable(changes)).returning('*'),
    delete: async (where) => Number(await knex(name).whereRaw(raw(where)).delete()),
    transaction: (work) =>
      dialect === 'mysql' ? knex.transaction(work, { isolationLevel: 'read committed' }) : knex.transaction(work),
    on: (other) => tableOf(other, info),
  }
}

const DROPPED = new Set(['constructor', 'prototype'])

/**
 * Returns changes as Knex takes them: it drops columns of these names, but trims a space at the end of a name later.
 */
function updatable(changes: Row): Row {
  if (!Object.keys(changes).some((name) => DROPPED.has(name))) return changes
  return Object.fromEntries(
    Object.entries(changes).map(([name, value]) => [DROPPED.has(name) ? `${name} ` : name, value]),
  )
}

/** Finds the schema and the table in the database: Knex may be configured to change names. */
function placeOf(client: Client, name: string): Place {
  const [table = name, schema] = name.split('.').map((part) => unquote(client.wrapIdentifier(part.trim(), undefined)))
    .reverse()
  return { schema, table }
}

function unquote(identifier: string): string {
  const quote = identifier.at(-1) ?? ''
  return /["`]/.test(quote) ? identifier.slice(1, -1).replaceAll(quote + quote, quote) : identifier
}

/** Selects the columns of the rows, and the expressions that are asked for besides. */
async function selectRows(from: Builder, selection: Selection, raw: (piece: Sql) => object): Promise<Row[]> {
  const { where, order = [], limit, offset, extras = {}, lock } = selection
  const more = Object.entries(extras).map(([name, piece]) => raw([...piece, ' as ', { column: name }]))
  const query = from.select('*', ...more).whereRaw(raw(where))
  if (order.length > 0) void query.orderByRaw(raw(orderBy(order)))
  if (limit !== undefined) void query.limit(limit)
  if (offset !== undefined) void query.offset(offset)
  if (lock === undefined) return query
  // On MySQL and MariaDB it is `lock in share mode`.
  return lock === 'share' ? query.forShare() : query.forUpdate()
}

async function insertRow(into: Builder, row: Row, dialect: Dialect): Promise<Inserted> {
  if (dialect !== 'mysql') return { row: (await into.insert(row).returning('*'))[0] ?? {} }
  const [key] = await into.insert(row)
  return { key }
}
