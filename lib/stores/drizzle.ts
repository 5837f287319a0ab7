import { MisuseError } from '../errors.js'
import { checkOptionNames } from '../options.js'
import type { Store } from '../store.js'
import {
  kindsOf,
  schemaOf,
  statementOf,
  Text,
  type Column,
  type Database,
  type Schema,
  type Sql as Statement,
  type Table,
} from './drizzle/library.js'
import { turnsOf } from './lock.js'
import type { Catalog } from './sql/catalog.js'
import type { Declared, Dialect } from './sql/kinds.js'
import { sql, written, type Sql } from './sql/statement.js'
import { sqlStore } from './sql/store.js'
import { orderedBy, type Codec, type Inserted, type Row, type Selection, type SqlTable } from './sql/table.js'

/** A database of drizzle's, met by structure alone. */
export interface DrizzleDatabase {
  select(...fields: never[]): unknown
  transaction(...work: never[]): unknown
}

/** A table of drizzle's schema. */
export interface DrizzleTable {
  readonly $inferSelect: object
  getSQL(): unknown
}

export interface DrizzleStoreOptions<Row> {
  /**
   * The primary key, of one column.
   *
   * @default the column that the schema calls the primary key
   */
  readonly key?: keyof Row & string
}

/**
 * Makes a store of a table of drizzle's, on PostgreSQL, MySQL, MariaDB and SQLite.
 *
 * A row is what the schema infers (`$inferSelect`), converted by drizzle, custom types and default functions included.
 * `db` is the whole database; inside a transaction the store's own `db` is that transaction, for other tables. The
 * store reads the types and constraints of the table from the database once, at its first use, and compares a column
 * with values of its type alone. On SQLite the stores of one `db` work one after the other, since it has one
 * connection; do not use `db` itself while a transaction of a store is open.
 *
 * @throws MisuseError `drizzle_table` for an invalid table, `drizzle_dialect` for another kind of database or a table
 * of another kind, `drizzle_option_unknown` for an option that does not exist, `drizzle_key` where the key is no
 * column. When the store is used: `store_column` for a column that the table does not have, `store_column_type` for one
 * that the schema declares as another type than the database, `store_condition` for a condition with a value of another
 * type, `store_raw` for a raw condition that is not drizzle's.
 * @example
 * const posts = drizzleStore(drizzle(process.env.DATABASE_URL), postsTable)
 */
export function drizzleStore<Db extends DrizzleDatabase, const T extends DrizzleTable>(
  db: Db, table: T, options: DrizzleStoreOptions<T['$inferSelect']> = {},
): Store<T['$inferSelect'], Db> {
  const found = table as unknown as Table
  const dialect = dialectOf(table)
  const schema = schemaOf(found)
  checkOptionNames(`drizzleStore of \`${schema.name}\``, options, ['key'], {}, 'drizzle_option_unknown')
  const database = db as unknown as Database
  if (!kindsOf(database.dialect).some((kind) => DATABASES[dialect].includes(kind))) {
    throw new MisuseError(
      'drizzle_dialect',
      `drizzleStore of \`${schema.name}\`: the table is of ${dialect}, and the database is of another kind.`,
    )
  }
  const key = options.key ?? keyOf(schema)
  if (!Object.hasOwn(schema.columns, key)) {
    throw new MisuseError(
      'drizzle_key',
      `drizzleStore of \`${schema.name}\`: there is no column \`${key}\`; name the primary key, as in { key: 'id' }.`,
    )
  }
  const store: unknown = sqlStore(
    tableOf(database, { table: found, schema, dialect, key, columns: declared(schema, dialect) }),
  )
  return store as Store<T['$inferSelect'], Db>
}

const TABLES: Readonly<Record<string, Dialect>> = { PgTable: 'postgres', MySqlTable: 'mysql', SQLiteTable: 'sqlite' }
const DATABASES: Readonly<Record<Dialect, readonly string[]>> = {
  postgres: ['PgDialect'], mysql: ['MySqlDialect'], sqlite: ['SQLiteDialect'],
}

function dialectOf(table: unknown): Dialect {
  const kinds = kindsOf(table)
  const dialect = kinds.map((kind) => (Object.hasOwn(TABLES, kind) ? TABLES[kind] : undefined)).find((each) =>
    each !== undefined
  )
  if (dialect !== undefined) return dialect
  if (kinds.includes('Table')) {
    throw new MisuseError('drizzle_dialect', 'drizzleStore works on PostgreSQL, MySQL, MariaDB and SQLite.')
  }
  throw new MisuseError(
    'drizzle_table',
    'drizzleStore takes a database and a table of a schema, as in drizzleStore(db, posts).',
  )
}

function keyOf({ columns }: Schema): string {
  return Object.entries(columns).find(([, { primary }]) => primary)?.[0] ?? 'id'
}

/** Returns the types of columns by the schema; for strings mostly those of the database. */
function declared({ columns }: Schema, dialect: Dialect): Declared {
  const types = Object.entries(columns).map(([name, column]) => [name, typeOf(column, dialect)] as const)
  return Object.fromEntries(
    types.filter((entry): entry is readonly [string, Declared[string]] => entry[1] !== undefined),
  )
}

const TYPES = new Map<string, Declared[string]>(Object.entries({
  number: 'number', bigint: 'bigint', boolean: 'boolean', json: 'json', array: 'json', buffer: 'json',
}))

function typeOf(column: Column, dialect: Dialect): Declared[string] | undefined {
  const { dataType } = column
  const type = column.getSQLType()
  const isNumber = /^(?:integer|bigint|numeric|decimal|real)/i.test(type)
  if (dataType === 'date') return dialect === 'sqlite' && isNumber ? 'epoch' : 'date'
  if (dataType !== 'string') return TYPES.get(dataType)
  return isNumber ? 'digits' : /^(?:timestamp|datetime)/i.test(type) ? 'moment' : undefined
}

interface Known extends Pick<SqlTable<Database>, 'dialect' | 'key' | 'columns'> {
  readonly table: Table
  readonly schema: Schema
}

/** Runs transactions on synchronous drivers, for which drizzle has none. */
const begun = new WeakSet<Database>()

/** A table on a database or on a transaction of it. */
function tableOf(db: Database, known: Known): SqlTable<Database> {
  const { table, schema, dialect } = known
  const { columns } = schema
  const isTransaction = typeof db.rollback === 'function' || begun.has(db)
  const run = turnsOf(dialect, db.$client ?? db, isTransaction)
  const columnOf = (name: string): Column => {
    const column = columns[name]
    if (column === undefined) {
      throw new MisuseError('store_column', `The table \`${schema.name}\` has no column \`${name}\`.`)
    }
    return column
  }
  const write = (piece: Sql): Statement => statementOf(table, written<unknown>(piece, {
    text: (text) => new Text(text), column: columnOf, value: (value) => value, raw: checkedRaw,
  }))
  const select = ({ where, order = [], limit, offset, extras = {}, isLocked = false }: Selection) => {
    const fields = Object.fromEntries(Object.entries(extras).map(([name, piece]) => [name, write(piece)]))
    let query = db.select({ ...columns, ...fields }).from(table).where(write(where))
    if (order.length > 0) query = query.orderBy(write(orderedBy(order)))
    if (limit !== undefined) query = query.limit(limit)
    if (offset !== undefined) query = query.offset(offset)
    return isLocked ? query.for('update') : query
  }
  return {
    ...known,
    name: schema.name,
    db,
    isTransaction,
    // A database and its transactions share one dialect.
    identity: db.dialect,
    place: () => ({ schema: schema.schema, table: schema.name }),
    fields: () =>
      new Map(
        Object.entries(columns).map((
          [name, column],
        ) => [db.dialect.casing?.getColumnCasing(column) ?? column.name, name]),
      ),
    codec: (catalog) => codecOf(columns, catalog, dialect),
    query: (statement) => run(async () => {
      const fields = { part: write(sql`part`), name: write(sql`name`), value: write(sql`value`) }
      return db.select(fields).from(write(sql`(${statement}) as described`))
    }),
    select: (selection) => run(async () => select(selection)),
    count: (where) =>
      run(async () => (await db.select({ total: write(sql`count(*)`) }).from(table).where(write(where)))[0]?.total),
    compute: (where, expressions) => run(async () => {
      const fields = Object.entries(expressions).map(([name, piece]) => [name, write(piece)] as const)
      return (await db.select(Object.fromEntries(fields)).from(table).where(write(where)))[0] ?? {}
    }),
    insert: (row) => run(() => inserted(db, row, known)),
    insertMany: dialect === 'mysql' ? undefined
      : (rows) => run(async () => db.insert(table).values(rows).returning()),
    update: (changes, where) => run(async () => db.update(table).set(changes).where(write(where))),
    updateReturning: dialect === 'mysql' ? undefined
      : (changes, where) => run(async () => db.update(table).set(changes).where(write(where)).returning()),
    delete: (where) => run(async () => {
      const deletion = db.delete(table).where(write(where))
      if (dialect !== 'mysql') return (await deletion.returning({ key: columnOf(known.key) })).length
      return Number(reported(await deletion).affectedRows)
    }),
    transaction: (work) => run(() => (db.resultKind === 'sync' ? transacted(db, table, work) : db.transaction(work))),
    on: (other) => tableOf(other, known),
  }
}

/** Runs a transaction over a driver that answers at once: drizzle's own would end before the first promise. */
async function transacted<T>(db: Database, table: Table, work: (transaction: Database) => Promise<T>): Promise<T> {
  const run = (text: string): unknown => db.run(statementOf(table, [new Text(text)]))
  const transaction = Object.create(db) as Database
  begun.add(transaction)
  run('begin immediate')
  try {
    const result = await work(transaction)
    run('commit')
    return result
  } catch (error) {
    run('rollback')
    throw error
  }
}

/** The report of a MySQL driver on a statement; some drivers put it into a list. */
function reported(result: unknown): { readonly insertId?: unknown; readonly affectedRows?: unknown } {
  const report: unknown = Array.isArray(result) ? result[0] : result
  const { insertId, affectedRows, rowsAffected } = report as Readonly<Record<string, unknown>>
  return { insertId, affectedRows: affectedRows ?? rowsAffected }
}

async function inserted(db: Database, row: Row, { table, schema, key, dialect }: Known): Promise<Inserted> {
  if (dialect !== 'mysql') return { row: (await db.insert(table).values(row).returning())[0] ?? {} }
  // MySQL does not return a key that drizzle makes.
  const made: unknown = row[key] ?? schema.columns[key]?.defaultFn?.()
  const report = reported(await db.insert(table).values(made === undefined ? row : { ...row, [key]: made }))
  return { key: made ?? report.insertId }
}

/** Drizzle converts rows by itself. MariaDB calls JSON a string, which drizzle expects to be parsed. */
function codecOf(columns: Schema['columns'], catalog: Catalog, dialect: Dialect): Codec {
  const unread = dialect === 'mysql'
    ? Object.keys(columns).filter((name) => columns[name]?.dataType === 'json' && catalog.stored(name) === 'string')
    : []
  const parse = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value)
  return {
    compared: (column, value) => columns[column]?.mapToDriverValue(value),
    stored: (row) => row,
    read: (
      row,
    ) => (unread.length === 0
      ? row
      : { ...row, ...Object.fromEntries(unread.map((name) => [name, parse(row[name])])) }),
  }
}

/** @throws MisuseError `store_raw` for a value that is not a condition of drizzle. */
function checkedRaw(raw: unknown): unknown {
  if (typeof raw === 'object' && raw !== null && 'getSQL' in raw && typeof raw.getSQL === 'function') return raw
  throw new MisuseError(
    'store_raw',
    'A raw condition of a drizzleStore is a condition of drizzle, as in raw(sql`…`) or raw(exists(db.select()…)).',
  )
}
