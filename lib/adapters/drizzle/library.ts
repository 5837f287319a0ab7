/*
 * The part of drizzle-orm 0.45 that the store and the source use, as structural types: nothing of it is imported, so
 * that it is an optional package.
 */

/** A database, or a transaction on it. */
export interface Database {
  readonly dialect: { readonly casing?: { getColumnCasing(column: Column): string } }
  /** Of SQLite: `sync` for drivers that answer at once, whose transactions wait for no promise. */
  readonly resultKind?: 'sync' | 'async'
  /** Of a transaction. */
  readonly rollback?: unknown
  /** The driver. */
  readonly $client?: object
  readonly $replicas?: readonly Database[]
  select(fields: Readonly<Record<string, Column | Sql>>): { from(source: Table | Sql): Select }
  insert(table: Table): { values(rows: Values | readonly Values[]): Writing }
  update(table: Table): { set(changes: Values): { where(condition: Sql): Writing } }
  delete(table: Table): { where(condition: Sql): Writing }
  transaction<T>(
    work: (transaction: Database) => Promise<T>,
    options?: { readonly isolationLevel: 'read committed' },
  ): Promise<T>
  /** Of SQLite. */
  run(statement: Sql): unknown
}

type Values = Readonly<Record<string, unknown>>

interface Select extends PromiseLike<Record<string, unknown>[]> {
  where(condition: Sql): Select
  orderBy(order: Sql): Select
  limit(limit: number): Select
  offset(offset: number): Select
  for(lock: 'share' | 'update'): Select
}

/** The report of a MySQL driver on a statement. */
export interface Report {
  readonly insertId?: unknown
  readonly affectedRows?: unknown
  readonly rowsAffected?: unknown
}

/** An insert, an update or a deletion; without `returning` it resolves to the report of the driver. */
export interface Writing extends PromiseLike<Report | readonly Report[]> {
  returning(fields?: Readonly<Record<string, Column | Sql>>): PromiseLike<Values[]>
}

export interface Table {
  readonly [NAME]: string
  readonly [SCHEMA]: string | undefined
  readonly [COLUMNS]: Schema['columns']
  getSQL(): Sql
}

const NAME: unique symbol = Symbol.for('drizzle:Name')
const SCHEMA: unique symbol = Symbol.for('drizzle:Schema')
const COLUMNS: unique symbol = Symbol.for('drizzle:Columns')

/** A statement or a part of one. */
export interface Sql {
  getSQL(): Sql
  readonly constructor: unknown
}

export interface Column {
  readonly name: string
  readonly primary: boolean
  readonly dataType: string
  /** Makes the value of a row that comes without one. */
  readonly defaultFn?: () => unknown
  getSQLType(): string
  mapToDriverValue(value: unknown): unknown
}

/** The description of a table in its schema. */
export interface Schema {
  readonly name: string
  readonly schema: string | undefined
  readonly columns: Readonly<Record<string, Column>>
}

export function schemaOf(table: Table): Schema {
  return { name: table[NAME], schema: table[SCHEMA], columns: table[COLUMNS] }
}

/**
 * Names the kind of an object, and those of the classes that it extends: drizzle recognises them so across copies of
 * itself.
 */
export function kindsOf(value: unknown): readonly string[] {
  const prototype: unknown = Object.getPrototypeOf(value ?? {})
  if (typeof prototype !== 'object' || prototype === null) return []
  const own = Object.getOwnPropertyDescriptor(prototype.constructor, Symbol.for('drizzle:entityKind'))
  const kind: unknown = own?.value
  return [...typeof kind === 'string' ? [kind] : [], ...kindsOf(prototype)]
}

/** The text of a statement; its other parts are columns, statements and bound values. */
export class Text {
  readonly value: readonly [string]

  constructor(text: string) {
    this.value = [text]
  }
}
Object.defineProperty(Text, Symbol.for('drizzle:entityKind'), { value: 'StringChunk' })

/** Makes a statement as drizzle's own `sql` does, of the class of another one. */
export function statementOf({ constructor }: Sql, chunks: readonly unknown[]): Sql {
  return new (constructor as new(chunks: readonly unknown[]) => Sql)(chunks)
}

/** A query that is a source. */
export interface Query {
  readonly config: Config
  readonly session: { count(sql: Sql): Promise<unknown> }
  readonly dialect: { buildSelectQuery(config: Config): Sql; escapeName?(name: string): string }
  toSQL(): { readonly sql: string }
  prepare(): { execute(): PromiseLike<Record<string, unknown>[]> }
}

/** A query as plain data. */
export interface Config {
  readonly fields: Fields
  readonly where?: unknown
  readonly having?: unknown
  readonly groupBy?: readonly unknown[] | undefined
  readonly orderBy?: readonly unknown[] | undefined
  readonly distinct?: unknown
  readonly limit?: unknown
  readonly offset?: unknown
  readonly lockingClause?: unknown
  readonly setOperators: readonly Config[]
}

/** The selected columns and expressions by property, in a join by table and property. */
export interface Fields {
  readonly [property: string]: Field | Fields
}

export interface Field {
  getSQL(): Sql
  /** The statement of an expression with an alias. */
  readonly sql?: Sql
  /** The name of a column in its table. */
  readonly name?: string
  readonly columnType?: string
}
