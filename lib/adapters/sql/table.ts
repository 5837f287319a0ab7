import { mapValues } from '../../core/index.js'
import type { Place } from '../../crud/contract/index.js'
import type { Catalog } from './catalog.js'
import { readRow, writeValue } from './columns.js'
import type { Columns, Declared, Dialect } from './kinds.js'
import { joinPieces, type Sql } from './statement.js'

export type Row = Readonly<Record<string, unknown>>

/** Finds the names that columns have in a row, which `convert` makes of a row of the database. */
export async function fieldNames(
  columns: readonly string[],
  convert: (row: Row) => Row | Promise<Row>,
): Promise<ReadonlyMap<string, string>> {
  const row = await convert(Object.fromEntries(columns.map((column, index) => [column, index])))
  return new Map(Object.entries(row).map(([field, index]) => [columns[Number(index)] ?? field, field]))
}

/** Returns an object that inherits from another, with properties of its own. */
export function inherit<T extends object>(from: T, properties: PropertyDescriptorMap = {}): T {
  return Object.create(from, properties) as T
}

/** One term of an order. */
export interface Term {
  readonly by: Sql
  readonly isDescending?: boolean
  readonly isNullsLast?: boolean
}

/** Writes what follows `order by`. */
export function orderBy(terms: readonly Term[]): Sql {
  const one = (
    { by, isDescending = false, isNullsLast = false }: Term,
  ): Sql => [...by, `${isDescending ? ' desc' : ''}${isNullsLast ? ' nulls last' : ''}`]
  return joinPieces(terms.map(one), ', ')
}

/** A select statement of all columns of the table. */
export interface Selection {
  readonly where: Sql
  readonly order?: readonly Term[]
  readonly limit?: number
  readonly offset?: number
  /** Columns besides those of the table, by their names in the result. */
  readonly extras?: Readonly<Record<string, Sql>>
  /** The name of a column with the number of all rows that match, if the table `selectsTotals`. */
  readonly total?: string
  /** Locks the rows until the transaction ends. */
  readonly lock?: RowLock | undefined
}

/** A lock of rows; several transactions may share a row, which none of them can change or delete then. */
export type RowLock = 'update' | 'share'

/** Writes the end of a statement that locks what it selects: MariaDB does not know `for share`. */
export function lockText(lock: RowLock, dialect: Dialect): string {
  return lock === 'share' && dialect === 'mysql' ? ' lock in share mode' : ` for ${lock}`
}

/** A row as it was stored, or its key where the database does not return rows. */
export type Inserted = { readonly row: Row } | { readonly key: unknown }

/** A value of a column that the database computes. */
export class Computed {
  readonly sql: Sql

  constructor(sql: Sql) {
    this.sql = sql
  }
}

/** Statements that return the written rows. */
export interface SingleStatement {
  /** `first` is an expression that is computed before the row is stored. */
  readonly insert: (row: Row, first: Sql) => Promise<readonly Row[]>
  /** A value may be a {@link Computed}. */
  readonly update: (changes: Row, where: Sql) => Promise<readonly Row[]>
}

/** Converts values for the driver and from it. */
export interface Codec {
  /** Converts a value that a column is compared with into one that the driver takes. */
  readonly compared: (column: string, value: unknown) => unknown
  /** Converts the fields of a row for `insert` and `update` of the table. */
  readonly stored: (fields: Row) => Row
  /** Converts a row that `select` or `insert` of the table has returned. */
  readonly read: (row: Row) => Row
  /** The labels of an enum as a row has them, where the library gives them other names. */
  readonly labels?: (column: string) => readonly string[] | undefined
}

/**
 * Makes the codec of a library that converts values by types of its own: the store converts only the columns that are
 * declared as another one.
 *
 * `compared` converts a value for a column that the library converts.
 */
export function codecBeside(
  own: Columns,
  columns: Columns,
  dialect: Dialect,
  compared: (column: string, value: unknown) => unknown,
): Codec {
  const declared = Object.fromEntries(Object.entries(columns).filter(([column, type]) => own[column] !== type))
  const write = (column: string, value: unknown, otherwise: (column: string, value: unknown) => unknown): unknown =>
    Object.hasOwn(declared, column) ? writeValue(column, value, declared, dialect) : otherwise(column, value)
  return {
    compared: (column, value) => write(column, value, compared),
    stored: (fields) => mapValues(fields, (value, column) => write(column, value, () => value)),
    read: (row) => readRow(row, declared),
  }
}

/**
 * One table by the means of a library: all that a store of SQL needs to know of it, see `sqlStore`.
 *
 * Columns are named as in a row.
 */
export interface SqlTable<Db> {
  /** The name of the table for messages. */
  readonly name: string
  readonly dialect: Dialect
  readonly key: string
  readonly columns: Declared
  readonly db: Db
  readonly isTransaction: boolean
  /** An object that a database and its transactions share: the catalog is cached by it. */
  readonly identity: object
  readonly place: () => Place
  /** Names the columns of the database as a row has them; one that is missing is not in the row. */
  readonly fields: (columns: readonly string[]) => ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>>
  /** True for a column whose values a function of the application converts before they are stored. */
  readonly isConverted?: (column: string) => boolean
  /** True for a column of strings by the schema of the library: one with too many digits for it is refused. */
  readonly isDecimal?: (column: string) => boolean
  /** True if the library gives no column a value of its own where a new row leaves it out. */
  readonly hasNoDefaults?: boolean
  /** Makes the codec of the table. @default values are converted by the types that are declared */
  readonly codec?: (catalog: Catalog) => Codec
  /** Runs a statement without columns of the table. */
  readonly query: (statement: Sql) => Promise<readonly Row[]>
  readonly select: (selection: Selection) => Promise<readonly Row[]>
  readonly count: (where: Sql) => Promise<unknown>
  /** True if `select` can count too: a page and its total are then read by one statement. */
  readonly selectsTotals?: boolean
  /** Computes expressions over all rows that match, by their names in the result. */
  readonly compute: (where: Sql, expressions: Readonly<Record<string, Sql>>) => Promise<Row>
  readonly insert: (row: Row) => Promise<Inserted>
  /**
   * Inserts rows with the same columns by one statement, and returns them in their order; absent where the library
   * cannot. It is not called where the database cannot.
   */
  readonly insertMany?: ((rows: readonly Row[]) => Promise<readonly Row[]>) | undefined
  readonly update: (changes: Row, where: Sql) => Promise<unknown>
  /** Updates and returns the rows as they are then; absent where the database or the library cannot. */
  readonly updateReturning?: ((changes: Row, where: Sql) => Promise<readonly Row[]>) | undefined
  /** Waits for a connection, then runs one statement on it; absent where the library cannot. */
  readonly single?: (run: (statement: SingleStatement) => Promise<readonly Row[]>) => Promise<readonly Row[]>
  /** Returns the number of deleted rows. */
  readonly delete: (where: Sql) => Promise<number>
  /**
   * Runs a transaction: commits when `work` resolves, rolls back when it rejects. `seconds` are for a library that ends
   * transactions by itself.
   *
   * It is READ COMMITTED on MySQL and MariaDB too: by default it would show other rows as of its first read there,
   * although it has waited for their locks since.
   */
  readonly transaction: <T>(work: (db: Db) => Promise<T>, seconds?: number) => Promise<T>
  /** The same table on another database, such as a transaction. */
  readonly on: (db: Db) => SqlTable<Db>
}
