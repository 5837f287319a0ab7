import type { Kysely, Selectable } from 'kysely'
import { checkOptionNames, memoize } from '../../core/index.js'
import type { Store } from '../../crud/contract/index.js'
import type { Statements } from './compiled.js'
import type { Database } from './library.js'
import { dialectOf, tableOf } from './table.js'
import { explainLostConnections } from '../sql/pg-pool.js'
import { checkColumns, type ColumnType, type ColumnTypes, type NoColumns, type Columns } from '../sql/kinds.js'
import { sqlStore } from '../sql/store.js'
import type { Row } from '../sql/table.js'

/**
 * A row of the table, with typed columns as in {@link ColumnTypes}. A `json` column keeps the type that the table
 * gives it; one that the table calls a string is `unknown`, since the string is the JSON.
 */
export type KyselyRow<Row, C extends Columns> = {
  [K in keyof Row]: K extends keyof C
    ? (C[K] extends 'json' ? Parsed<Row[K]> : ColumnTypes[C[K]] | Extract<Row[K], null>)
    : Row[K]
}

type Parsed<Value> = [NonNullable<Value>] extends [string] ? unknown : Value

export interface KyselyStoreOptions<Row, C extends Columns> {
  /** The primary key, of one column. @default 'id' */
  readonly key?: keyof Row & string | undefined
  /**
   * The types of columns, if you want other values than the driver reads: `{ id: 'integer', paid:
   * 'boolean', items: 'json' }`. In PostgreSQL, MySQL and MariaDB columns of type DATE are calendar dates, and columns
   * of JSON have their values, also without this; name them here for the type of the row.
   *
   * @default what the driver reads
   */
  readonly columns?:
    | C
      & { readonly [K in keyof C]: K extends keyof Row ? ColumnType : `The table has no column "${K & string}"` }
    | undefined
}

/** The database that was first met with an executor: `db.withTables()` has that of `db`, and so its connection. */
const sharedBy = memoize((_executor: object): { database?: Database } => ({}))

/**
 * Makes a store of a Kysely table, on PostgreSQL, MySQL, MariaDB and SQLite.
 *
 * `db` is the whole database; inside a transaction the store's own `db` is that transaction, for other tables. In MySQL
 * and MariaDB a key is given by the caller or an auto-increment. The store reads the types and constraints of the table
 * once, at its first use, and compares a column with values of its type alone. A `pg.Pool` needs
 * `pool.on('connect', (client) => client.on('error', () => undefined))`, without which a connection that is lost while
 * it is in use ends the process: kysely does not show its pool to the store.
 *
 * @throws MisuseError `kysely_dialect` for another kind of database, `kysely_option_unknown` and `kysely_columns` for
 * options that do not exist. When the store is used: `store_column` for a column that the table does not have,
 * `store_column_type` for one whose type is not known or is declared as another, `store_condition` for a condition with
 * a value of another type, `store_raw` for a raw condition that is not kysely's.
 * @example
 * const posts = kyselyStore(db, 'posts', { columns: { id: 'integer', dueOn: 'calendarDate' } })
 */
export function kyselyStore<DB, const Table extends keyof DB & string, const C extends Columns = NoColumns>(
  db: Kysely<DB>,
  table: Table,
  options?: KyselyStoreOptions<Selectable<DB[Table]>, C>,
): Store<KyselyRow<Selectable<DB[Table]>, C>, Kysely<DB>>
export function kyselyStore(
  db: object,
  table: string,
  options: { readonly key?: string | undefined; readonly columns?: Readonly<Record<string, unknown>> | undefined } = {},
): Store<Row> {
  checkOptionNames(`kyselyStore of \`${table}\``, options, ['key', 'columns'], 'kysely_option_unknown')
  const own = db as Database
  const database = sharedBy(own.getExecutor()).database ??= own
  const { key = 'id', columns = {} } = options
  checkColumns(`kyselyStore of \`${table}\``, columns, 'kysely_columns')
  const dialect = dialectOf(database)
  if (dialect === 'postgres') explainLostConnections()
  const statements: Statements = new Map()
  return sqlStore(tableOf(database, { name: table, dialect, key, columns, statements }))
}
