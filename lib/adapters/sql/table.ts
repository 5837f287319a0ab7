import { memoize } from '../../core/index.js'
import { checkValues, withoutUndefined, type AnyWhere, type Place } from '../../crud/contract/index.js'
import { reading } from './calls.js'
import { Catalog, type Line } from './catalog.js'
import { questionsOf } from './catalog-questions.js'
import { checkStored, readRow, writeValue } from './columns.js'
import { comparable, isDecimalText, type ComparedColumns } from './comparable.js'
import { toSql } from './conditions.js'
import type { Columns, Declared, Dialect } from './kinds.js'
import { joinPieces, type Sql } from './statement.js'

export type Row = Readonly<Record<string, unknown>>

/** One term of an order. */
export interface Term {
  readonly by: Sql
  readonly isDescending?: boolean
  /** Ends in `nulls last`. */
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
  const isDeclared = (column: string): boolean => Object.hasOwn(declared, column)
  return {
    compared: (
      column,
      value,
    ) => (isDeclared(column) ? writeValue(column, value, declared, dialect) : compared(column, value)),
    stored: (fields) =>
      Object.fromEntries(
        Object.entries(fields).map((
          [column, value],
        ) => [column, isDeclared(column) ? writeValue(column, value, declared, dialect) : value]),
      ),
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
  /** The types of columns as they are declared. */
  readonly columns: Declared
  readonly db: Db
  readonly isTransaction: boolean
  /** An object that a database and its transactions share: the catalog is cached by it. */
  readonly identity: object
  readonly place: () => Place
  /** Names the columns of the database as a row has them; one that is missing is not in the row. */
  readonly fields: (columns: readonly string[]) => ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>>
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

/** A table whose columns are known. */
export interface Described {
  readonly catalog: Catalog
  readonly codec: Codec
  readonly toSql: (where: AnyWhere) => Sql
  /** Checks the values to write. @throws ColumnViolation for a value that its column cannot hold. */
  readonly checked: (fields: Row) => Row
}

/** Describes a table on a database or on a transaction. */
export type Describe = <Db>(table: SqlTable<Db>) => Promise<Described>

function describeBy<Db>(table: SqlTable<Db>, catalog: Catalog): Described {
  const { dialect } = table
  const { types } = catalog
  const read = Object.fromEntries(
    Object.entries(types).filter(([column, type]) => type !== 'json' || !catalog.isParsed(column)),
  )
  const codec = table.codec?.(catalog) ?? {
    compared: (column, value) => writeValue(column, value, types, dialect),
    stored: (fields) => {
      const stored: Record<string, unknown> = {}
      for (const [column, value] of Object.entries(fields)) stored[column] = writeValue(column, value, types, dialect)
      return stored
    },
    read: (row) => readRow(row, read),
  }
  return {
    catalog,
    codec,
    toSql: (where) =>
      toSql(comparable(where, withLabels(catalog, codec), dialect), {
        dialect,
        toDriver: codec.compared,
        isString: (column) => catalog.column(column).kind === 'string',
        // A `digits` column of PostgreSQL may be a bigint, whose index a numeric would not use.
        isDecimal: (column, value) => {
          const { kind } = catalog.column(column)
          return isDecimalText(value, kind) && (kind === 'decimal' || dialect === 'mysql')
        },
      }),
    checked: (fields) => {
      checkValues(fields)
      const row = withoutUndefined(fields)
      for (const [column, value] of Object.entries(row)) {
        catalog.checkExists(column)
        checkStored(column, value, types, dialect)
      }
      return row
    },
  }
}

/** The columns of a table, the labels of an enum as a row has them. */
function withLabels(catalog: Catalog, { labels }: Codec): ComparedColumns {
  if (labels === undefined) return catalog
  return {
    checkExists: (field) => catalog.checkExists(field),
    column: (field) => ({ ...catalog.column(field), labels: labels(field) ?? catalog.column(field).labels }),
  }
}

/** The catalogs of tables, cached for the stores that each transaction creates. */
const linesByPlace = memoize((_identity: object) => new Map<string, readonly Line[]>())

/**
 * Reads the catalog of a table once, at the first use. A transaction reads it on its own connection: to wait for
 * another one could last for ever where there is only one.
 */
export function describing(): Describe {
  let described: Described | undefined
  return async (table) => {
    if (described !== undefined) return described
    const catalog = await reading(table.isTransaction, () => catalogOf(table))
    const made = describeBy(table, catalog)
    // A table that is yet to be created is looked at again.
    if (!catalog.isEmpty) described = made
    return made
  }
}

async function catalogOf<Db>(table: SqlTable<Db>): Promise<Catalog> {
  const { dialect, identity } = table
  const place = table.place()
  const name = JSON.stringify(place)
  const tables = linesByPlace(identity)
  const cached = table.isTransaction ? tables.get(name) : undefined
  const lines = cached ?? await linesOf(table, questionsOf(dialect, place))
  if (lines.length > 0) tables.set(name, lines)
  const fields = await table.fields(lines.filter(({ part }) => part === 'column').map((line) => String(line.name)))
  return new Catalog(table.name, dialect, table.columns, lines, fields)
}

async function linesOf<Db>(
  table: SqlTable<Db>,
  [first, ...others]: readonly [Sql, ...Sql[]],
): Promise<readonly Line[]> {
  const ask = async (question: Sql): Promise<readonly Line[]> =>
    (await table.query(question)) as unknown as readonly Line[]
  const lines = [...await ask(first)]
  // Without them a CHECK has no columns, and all else is as it should be.
  for (const question of others) lines.push(...await ask(question).catch(() => []))
  return lines
}
