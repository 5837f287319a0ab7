import { MisuseError, ValidationError, type Library } from '../../errors.js'
import { invalidCursor, type Position } from '../../paging/cursor.js'
import type { PageSource } from '../../types.js'
import type { Order } from './key.js'
import { isUnreadable, messagesOf } from './unreadable.js'

/** A row, and what it has in the columns of the order. */
export interface KeyedRow<Row> {
  readonly row: Row
  /** The values for a cursor. */
  readonly values: readonly unknown[]
  /** The same values as a row has them, where a cursor holds texts. */
  readonly read?: readonly unknown[]
}

/** Reads rows behind the one with these values, from the start for `null`. */
export type ReadBehind<Row> = (values: readonly unknown[] | null, limit: number) => Promise<readonly KeyedRow<Row>[]>

/**
 * Pages by cursor over an order of keys; a cursor holds their values in the last row.
 *
 * @throws MisuseError `<library>_cursor` when there are no keys, `<library>_key` when one of them is null or not selected.
 * @throws ValidationError naming `cursor` for one that was made for another order, or holds values of other types than the columns.
 */
export function sliceAfter<Row>(library: Library, order: Order, read: ReadBehind<Row>): NonNullable<PageSource<Row>['sliceAfter']> {
  return async (position, limit) => {
    if (order.keys.length === 0) {
      throw new MisuseError(`${library}_cursor`, "A cursor needs an order that ends in a unique column: give { by: ['id'] } to the source.")
    }
    const found = await readBehind(read, order, position, limit + 1).catch((error: unknown) => {
      throw ambiguity(library, order, error) ?? error
    })
    for (const { values } of found) checkValues(library, order, values)
    const last = found.length > limit ? found[limit - 1] : undefined
    return { items: found.slice(0, limit).map(({ row }) => row), next: last === undefined ? null : [order.spelling, ...last.values] }
  }
}

async function readBehind<Row>(read: ReadBehind<Row>, order: Order, position: Position | null, limit: number) {
  if (position === null) return read(null, limit)
  const values = valuesOf(position, order)
  // Some databases take what is no number for 0, and some drivers fail on it in their own way: a row of the list tells the types.
  const check = (rows: readonly KeyedRow<Row>[]): void => {
    const [sample] = rows
    if (sample !== undefined && !values.every((value, index) => resembles(value, sample, index))) throw invalidCursor()
  }
  try {
    const found = await read(values, limit)
    check(found.length > 0 || values.every(isNumber) ? found : await read(null, 1))
    return found
  } catch (error) {
    if (isUnreadable(error)) throw invalidCursor()
    if (!(error instanceof ValidationError)) check(await read(null, 1).catch(() => []))
    throw error
  }
}

/** Explains what a database says of a key that is a column of two tables, or a name that only the selection gives. */
function ambiguity(library: Library, { keys }: Order, error: unknown): MisuseError | undefined {
  const sentence = messagesOf(error).find((message) => /ambiguous|does not exist|Unknown column|no such column/i.test(message))
  const key = sentence === undefined ? undefined : keys.find(({ column }) => new RegExp(`\\b${column.replace(/^.*\\./, '')}\\b`).test(sentence))
  return key && new MisuseError(`${library}_key`, `The key "${key.column}" is no column of one table here: write its table in front, as in 'posts.id', or select from a subquery that names it.`)
}

/** True for what any database compares as it stands. */
function isNumber(value: unknown): boolean {
  return typeof value === 'number' || TEXTS.number?.test(String(value)) === true
}

function valuesOf([spelling, ...values]: Position, order: Order): Position {
  if (spelling !== order.spelling || values.length !== order.keys.length || values.includes(null)) throw invalidCursor()
  if (values.some((value) => typeof value === 'string' && /\0|\p{Surrogate}/u.test(value))) throw invalidCursor()
  return values
}

/** Texts of a database by the values that are read from them. */
const TEXTS: Readonly<Record<string, RegExp>> = {
  number: /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i,
  date: /^\d{4,6}-(?:0\d|1[0-2])-(?:[0-2]\d|3[01])/,
  boolean: /^(?:t|f|true|false|0|1)$/,
}

/** True where a value of a cursor is of the type that a row has in this place. */
function resembles(value: unknown, { values, read = values }: KeyedRow<unknown>, index: number): boolean {
  const [type, own] = [typeOf(read[index]), typeOf(values[index])]
  if (own === 'null') return true
  if (typeOf(value) !== own) return false
  const pattern = own === 'string' && Object.hasOwn(TEXTS, type) ? TEXTS[type] : undefined
  return pattern === undefined || !pattern.test(String(values[index])) || pattern.test(String(value))
}

/** Names the type of a value; a driver may return small integers as numbers and large ones as bigints. */
function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (value instanceof Date) return 'date'
  return typeof value === 'bigint' ? 'number' : typeof value
}

function checkValues(library: Library, { keys }: Order, values: readonly unknown[]): void {
  const missing = keys.find((_key, index) => values[index] === null || values[index] === undefined)
  if (missing !== undefined) {
    throw new MisuseError(`${library}_key`, `A cursor cannot be made of "${missing.column}": it must be selected and never null.`)
  }
}
