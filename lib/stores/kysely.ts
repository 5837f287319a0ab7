import type { Kysely, Selectable } from 'kysely'
import type { Store } from '../store.js'
import { dialectOf } from './kysely/dialect.js'
import { storeOf } from './kysely/store-of.js'
import type { Database } from './kysely/table.js'
import type { ColumnType, ColumnTypes } from './sql/kinds.js'

/** Every column as its driver reads it. */
type NoColumns = Readonly<Record<symbol, never>>
type Typed = Readonly<Record<string, ColumnType>>

/** A row of the table, the typed columns as {@link ColumnTypes} says. */
export type KyselyRow<Row, C extends Typed> = {
  [K in keyof Row]: K extends keyof C ? ColumnTypes[C[K]] | Extract<Row[K], null> : Row[K]
}

export interface KyselyStoreOptions<Row, C extends Typed> {
  /**
   * The primary key, of one column.
   *
   * @default 'id'
   */
  readonly key?: keyof Row & string
  /** What columns hold, where the driver's own reading is not what you want: `{ id: 'integer', paid: 'boolean', items: 'json' }`. */
  readonly columns?: C & { readonly [K in keyof C]: K extends keyof Row ? ColumnType : never }
}

/**
 * A table of kysely's as a store, on PostgreSQL, MySQL, MariaDB and SQLite.
 *
 * `db` is the whole database; inside a transaction the store's own `db` is that transaction, for other tables. In MySQL and MariaDB
 * a key is given by the caller or an auto-increment.
 *
 * @throws MisuseError `kysely_dialect` for another kind of database.
 * @example
 * const posts = kyselyStore(db, 'posts', { columns: { id: 'integer' } })
 */
export function kyselyStore<DB, const Table extends keyof DB & string, const C extends Typed = NoColumns>(
  db: Kysely<DB>,
  table: Table,
  options: KyselyStoreOptions<Selectable<DB[Table]>, C> = {},
): Store<KyselyRow<Selectable<DB[Table]>, C>, Kysely<DB>> {
  const database = db as unknown as Database
  const { key = 'id', columns = {} } = options
  const dialect = dialectOf(database.getExecutor().adapter)
  const store: unknown = storeOf(database, { table, key, columns, dialect })
  return store as Store<KyselyRow<Selectable<DB[Table]>, C>, Kysely<DB>>
}
