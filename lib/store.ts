import type { PageSource } from './types.js'

type Field<Row> = keyof Row & string
type Bound = '<' | '<=' | '>' | '>='

type FieldCondition<Row, K extends Field<Row>> =
  | readonly [field: K, operator: '=', value: Row[K]]
  | readonly [field: K, operator: 'in', values: readonly NonNullable<Row[K]>[]]
  | readonly [field: K, operator: Bound, value: NonNullable<Row[K]>]
  | (NonNullable<Row[K]> extends string ? readonly [field: K, operator: 'contains', text: string] : never)

/**
 * What must hold of one field, or of at least one of several lists of conditions.
 *
 * `=` with `null` holds where the field is null, no other operator ever does. `contains` looks for the text as it stands, without wildcards,
 * whatever its case; an empty text is in every text, and in no null.
 *
 * @example
 * const mine: Condition<Post> = ['authorId', '=', 7]
 * const either: Condition<Post> = { any: [[['status', '=', 1]], [['authorId', '=', 7]]] }
 */
export type Condition<Row> = { [K in Field<Row>]: FieldCondition<Row, K> }[Field<Row>] | { readonly any: readonly Where<Row>[] }

/** Conditions that all must hold; none always does. */
export type Where<Row> = readonly Condition<Row>[]

/** Which rows, and in which order: fields, `-` in front for descending, the key last: `['-createdAt', 'id']`. */
export interface ListQuery<Row> {
  readonly where: Where<Row>
  readonly order: readonly string[]
}

/**
 * Where the rows of one resource are kept. Whatever passes `storeCases` of `resourcery/testing` keeps this contract:
 *
 * - Rows that come out are copies, of the fields as JavaScript has them: numbers, texts, booleans, Dates, `null`.
 * - A text with NUL or half a surrogate pair is a `ValidationError`, in a row and in a condition alike.
 * - Of two rows with one value of a unique field the second is a `ConflictError`, and so is a row that is still referred to, or that
 *   refers to one that is not there.
 * - A value that does not fit its column is a `ValidationError`.
 * - What is down, hangs or gives up (a deadlock after some attempts) is an `UnavailableError`.
 * - Every other error is a fault, and nobody sees its message.
 *
 * @example
 * const posts: Store<Post> = memoryStore<Post>({ key: 'id', unique: ['slug'] })
 */
export interface Store<Row extends object, Db = unknown> {
  /** The field that tells rows apart; it is never null and never changes. */
  readonly key: Field<Row>
  /** What the store works on, for other tables: inside a transaction, that transaction. */
  readonly db: Db
  /** The rows that match; nothing is read before a page is asked for. `sliceAfter` is what makes cursors stable. */
  list(query: ListQuery<Row>): PageSource<Row>
  /**
   * The rows with these keys that match, in the order of the keys, each once; what is not there is left out.
   *
   * Inside a transaction nobody else changes or deletes them until it ends.
   */
  find(keys: readonly unknown[], where?: Where<Row>): Promise<Row[]>
  /** Adds a row and returns it, its key and defaults filled in. */
  create(fields: Partial<Row>): Promise<Row>
  /** Changes these fields of a row and returns it, `undefined` where there is none. */
  update(key: unknown, changes: Partial<Row>): Promise<Row | undefined>
  /** Deletes the rows with these keys and says how many there were. */
  delete(keys: readonly unknown[]): Promise<number>
  /**
   * Runs `work` on a store whose writes are kept when it resolves, and all undone when it rejects; a transaction inside one is part of it.
   *
   * `work` may run several times, where what it met (a deadlock) has undone everything before.
   */
  transaction<T>(work: (store: Store<Row, Db>) => Promise<T>): Promise<T>
}
