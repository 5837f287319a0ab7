import type { PageSource } from '../../core/index.js'

type Field<Row> = keyof Row & string
type Bound = '<' | '<=' | '>' | '>='

/** The values that a column can be compared with; a column of objects or lists only with `null`. */
type Comparable<Value> = unknown extends Value ? Value
  : Extract<Value, string | number | bigint | boolean | Date | null>

type FieldCondition<Row, K extends Field<Row>> =
  | readonly [field: K, operator: '=' | '!=', value: Comparable<Row[K]>]
  | readonly [field: K, operator: 'in' | 'not in', values: readonly NonNullable<Comparable<Row[K]>>[]]
  | readonly [field: K, operator: Bound, value: NonNullable<Comparable<Row[K]>>]
  | (NonNullable<Row[K]> extends string ? readonly [field: K, operator: 'contains' | 'startsWith', text: string]
    : never)

/** A condition in the language of the store's library, made by {@link raw}. */
export interface RawCondition {
  readonly raw: unknown
}

/** Returns true for a condition on one field, false for alternatives and raw conditions. */
export function isOnField<C>(condition: C): condition is Extract<C, readonly unknown[]> {
  return Array.isArray(condition)
}

/**
 * Makes a condition in the language of the store's library: for `kyselyStore` an expression such as a `sql` fragment,
 * or a function of an expression builder; for `drizzleStore` a condition of drizzle; for `knexStore` `knex.raw`, or a
 * query of which a row must exist; for `memoryStore` a function of a row that returns `true` or `false`. It can be
 * combined with other conditions.
 *
 * @example
 * const mine = raw((eb: ExpressionBuilder<Tables, 'tickets'>) => eb.exists(eb.selectFrom('members')
 *   .select('members.userId').whereRef('members.teamId', '=', 'tickets.teamId').where('members.userId', '=', 7)))
 */
export function raw(condition: unknown): RawCondition {
  return { raw: condition }
}

/**
 * A condition on one field, a list of alternatives of which at least one must hold, or a condition made by {@link raw}.
 *
 * `=` with `null` holds where the field is null, `!=` with `null` where it is not. `!=` and `not in` also hold where
 * the field is null; no other operator does. `in []` never holds, `not in []` always does. `contains` and `startsWith`
 * take the string literally, without wildcards, and ignore the case of ASCII letters; they hold for an empty string
 * where the field is not null.
 *
 * A value that cannot be compared with the column (NaN, an infinite number, an Invalid Date, `undefined`, another type)
 * makes the store throw or selects no row, whatever the operator.
 *
 * @example
 * const mine: Condition<Post> = ['authorId', '=', 7]
 * const open: Condition<Post> = ['status', 'not in', ['closed', 'spam']]
 * const either: Condition<Post> = { any: [[['status', '=', 'open']], [['authorId', '=', 7]]] }
 */
export type Condition<Row> = { [K in Field<Row>]: FieldCondition<Row, K> }[Field<Row>] | {
  readonly any: readonly Where<Row>[]
} | RawCondition

/** Conditions that all must hold; an empty list always holds. */
export type Where<Row> = readonly Condition<Row>[]

/**
 * The rows to list and their order: fields, `-` in front for descending, the key last: `['-createdAt', 'id']`. Nulls
 * come last in both directions.
 */
export interface ListQuery<Row> {
  readonly where: Where<Row>
  readonly order: readonly string[]
}

/** Options of `find` of a {@link Store}. */
export interface FindOptions {
  /** The lock of the rows inside a transaction. @default 'update' */
  readonly lock?: 'share' | 'update'
}

export interface TransactionOptions {
  /** The seconds after which nothing may be committed. @default the limit of the store's library, if it has one */
  readonly seconds?: number
  /**
   * Fail if a statement inside has failed and its error was caught: PostgreSQL would undo the transaction in place of
   * committing it, without an error. Other databases do not need this.
   *
   * @default false
   */
  readonly verify?: boolean
}

/**
 * A place where the rows of one resource are kept. A store that passes `storeCases` of `resourcery/testing` fulfils
 * this contract:
 *
 * - Returned rows are copies, with fields as JavaScript values: numbers, strings, booleans, Dates, `null`.
 * - A string with NUL or half a surrogate pair is a `ValidationError`, in a row and in a condition.
 * - A second row with the same value of a unique field is a `ConflictError`, preferably a {@link UniqueViolation},
 *   which names the columns; so is a row that other rows refer to, or that refers to a row that does not exist
 *   ({@link ForeignKeyViolation}).
 * - A value that does not fit its column is a `ValidationError`, preferably a {@link ColumnViolation}, which names the
 *   column: a {@link NotNullViolation}, a {@link CheckViolation}, or neither, such as for a string that is too long.
 * - A database that is down or does not answer, and a deadlock after some attempts, is an `UnavailableError`.
 * - Every other error is a fault, whose message is never sent to a client.
 *
 * @example
 * const posts: Store<Post> = memoryStore<Post>({ key: 'id', unique: ['slug'] })
 */
export interface Store<Row extends object, Db = unknown> {
  /** The field that identifies a row; it is never null and never changes. */
  readonly key: Field<Row>
  /** The connection or transaction of the store, for queries on other tables. */
  readonly db: Db
  /**
   * Returns a source of the rows that match; nothing is read before a page is requested. `sliceAfter` makes cursors
   * stable.
   */
  list(query: ListQuery<Row>): PageSource<Row>
  /**
   * Returns the rows with these keys that match, in the order of the keys, each once; missing rows are left out.
   *
   * Inside a transaction the rows are locked: no other transaction changes or deletes them until it ends. With
   * `lock: 'share'`, which a store may ignore, other transactions may lock them in the same way meanwhile.
   */
  find(keys: readonly unknown[], where?: Where<Row>, options?: FindOptions): Promise<Row[]>
  /** Adds a row and returns it with its key and defaults. */
  create(fields: Partial<Row>): Promise<Row>
  /**
   * Adds rows with few statements and returns them in the order of `rows`; inside a transaction all or none. Without
   * this function imports and bulk creations add their rows one by one.
   */
  createMany?(rows: readonly Partial<Row>[]): Promise<Row[]>
  /**
   * Returns the sums of columns over all rows that match, as strings with all digits: `{ total: '12.50' }`. Nulls are
   * ignored, and the sum of no values is `'0'`. Without this function `crud` has no `aggregates`.
   */
  sum?(columns: readonly Field<Row>[], where?: Where<Row>): Promise<Readonly<Record<string, string>>>
  /** Changes these fields of a row and returns it, `undefined` if there is no such row. */
  update(key: unknown, changes: Partial<Row>): Promise<Row | undefined>
  /** Deletes the rows with these keys and returns how many there were. */
  delete(keys: readonly unknown[]): Promise<number>
  /**
   * Deletes all rows that match and returns how many there were. Without this function the rows of `links` need a key
   * of their own.
   */
  deleteWhere?(where: Where<Row>): Promise<number>
  /**
   * Runs `work` on a store whose writes are committed when it resolves and rolled back when it rejects; a nested
   * transaction joins the outer one.
   *
   * `work` may run several times, each time after a failure such as a deadlock has rolled everything back.
   *
   * @param options the time that is left; a store whose library ends transactions by itself gives it that
   */
  transaction<T>(work: (store: Store<Row, Db>) => Promise<T>, options?: TransactionOptions): Promise<T>
  /**
   * Returns the same store on another `db`, such as that of a transaction which another store has begun.
   *
   * A store without this function is read outside of such a transaction: the parent of a nested resource is then not
   * locked.
   */
  on?(db: Db): Store<Row, Db>
}
