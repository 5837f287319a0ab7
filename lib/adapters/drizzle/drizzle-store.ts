import { checkOptionNames, MisuseError } from '../../core/index.js'
import type { Store } from '../../crud/contract/index.js'
import { kindsOf, schemaOf, type Column, type Database, type Schema, type Table } from './library.js'
import { tableOf } from './table.js'
import { guardPool } from '../sql/pg-pool.js'
import { declaredTypes, type Declared, type Dialect } from '../sql/kinds.js'
import { sqlStore } from '../sql/store.js'
import type { Row } from '../sql/table.js'

/** A database of drizzle's, met by structure alone. */
export interface DrizzleDatabase {
  select(...fields: never[]): unknown
  transaction(...work: never[]): unknown
}

/** A Drizzle table schema. */
export interface DrizzleTable {
  readonly $inferSelect: object
  getSQL(): unknown
}

export interface DrizzleStoreOptions<Row> {
  /** The primary key, of one column. @default the primary key of the schema */
  readonly key?: keyof Row & string | undefined
}

/**
 * Makes a store of a Drizzle table, on PostgreSQL, MySQL, MariaDB and SQLite.
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
  db: Db,
  table: T,
  options?: DrizzleStoreOptions<T['$inferSelect']>,
): Store<T['$inferSelect'], Db>
export function drizzleStore(
  database: Database,
  table: Table,
  options: DrizzleStoreOptions<Row> = {},
): Store<Row, Database> {
  const dialect = dialectOf(table)
  const schema = schemaOf(table)
  checkOptionNames(`drizzleStore of \`${schema.name}\``, options, ['key'], 'drizzle_option_unknown')
  if (!kindsOf(database.dialect).includes(DATABASES[dialect])) {
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
  for (const { $client } of [database, ...(database.$replicas ?? [])]) guardPool($client)
  const columns = declaredTypes(Object.entries(schema.columns), (column) => typeOf(column, dialect))
  return sqlStore(tableOf(database, { table, schema, dialect, key, columns }))
}

const TABLES = new Map<string, Dialect>([['PgTable', 'postgres'], ['MySqlTable', 'mysql'], ['SQLiteTable', 'sqlite']])
const DATABASES = { postgres: 'PgDialect', mysql: 'MySqlDialect', sqlite: 'SQLiteDialect' }

/** @throws MisuseError `drizzle_dialect`, `drizzle_table` */
export function dialectOf(table: unknown): Dialect {
  const kinds = kindsOf(table)
  const dialect = kinds.map((kind) => TABLES.get(kind)).find((each) => each !== undefined)
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

const TYPES = new Map<string, Declared[string]>(Object.entries({
  number: 'number',
  bigint: 'bigint',
  boolean: 'boolean',
  json: 'json',
  array: 'json',
  buffer: 'json',
}))

/** Returns the type of a column by the schema; for strings mostly that of the database. */
function typeOf(column: Column, dialect: Dialect): Declared[string] | undefined {
  const { dataType } = column
  const type = column.getSQLType()
  const isNumber = /^(?:integer|bigint|numeric|decimal|real)/i.test(type)
  if (dataType === 'date') return dialect === 'sqlite' && isNumber ? 'epoch' : 'date'
  // SQLite would keep a fraction.
  if (dataType === 'number' && dialect === 'sqlite' && type === 'integer') return 'integer'
  if (dataType !== 'string') return TYPES.get(dataType)
  return isNumber ? 'digits' : /^(?:timestamp|datetime)/i.test(type) ? 'moment' : undefined
}
