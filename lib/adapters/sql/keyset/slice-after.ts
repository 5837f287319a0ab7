import { invalidCursor, MisuseError, ValidationError, type Library, type PageSource,
  type Position } from '../../../core/index.js'
import { isUnreadable, messagesOf } from './unreadable.js'
import type { Order } from './order.js'

/** A row and its values in the columns of the order. */
export interface KeyedRow<Row> {
  readonly row: Row
  /** The values for a cursor. */
  readonly values: readonly unknown[]
  /** The same values as in the row, if a cursor contains texts of them. */
  readonly read?: readonly unknown[]
}

/** Reads rows after the one with these values, from the start for `null`. */
export type ReadAfter<Row> = (values: readonly unknown[] | null, limit: number) => Promise<readonly KeyedRow<Row>[]>

/**
 * Tests if the column of a key does not hold strings. It is called where the database would take a string for a number
 * or a time.
 */
export type IsNotText = (index: number) => Promise<boolean>

/**
 * Makes the `sliceAfter` of a source with an order of keys; a cursor contains their values in the last row.
 *
 * @throws MisuseError `<library>_cursor` when there are no keys, `<library>_key` when one of them is null or not
 * selected.
 * @throws ValidationError naming `cursor` for one that was made for another order, or holds values of other types than
 * the columns.
 */
export function sliceAfter<Row>(
  library: Library,
  order: Order,
  read: ReadAfter<Row>,
  isNotText?: IsNotText,
): NonNullable<PageSource<Row>['sliceAfter']> {
  return async (position, limit) => {
    if (order.keys.length === 0) {
      throw new MisuseError(
        `${library}_cursor`,
        'A page by cursor was requested of a source without `by`. '
          + "Give it { by: ['id'] }, an order that ends in a unique column.",
      )
    }
    const after = position === null ? null : valuesOf(position, order)
    const rows = await readAfter(read, after, limit + 1, isNotText).catch((error: unknown) => {
      throw ambiguity(library, order, error) ?? error
    })
    for (const { values } of rows) checkValues(library, order, values)
    const last = rows.length > limit ? rows[limit - 1] : undefined
    return {
      items: rows.slice(0, limit).map(({ row }) => row),
      next: last === undefined ? null : [order.spelling, ...last.values],
    }
  }
}

async function readAfter<Row>(
  read: ReadAfter<Row>,
  values: Position | null,
  limit: number,
  isNotText: IsNotText | undefined,
) {
  if (values === null) return read(null, limit)
  // Some databases read a string that is not a number as 0, and some drivers fail in their own way: a row of the list
  // shows the types.
  const check = async (rows: readonly KeyedRow<Row>[]): Promise<void> => {
    for (const [index, value] of values.entries()) {
      const sample = rows.find((row) => row.values[index] !== null)
      if (value === null || sample === undefined) continue
      if (!resembles(value, sample, index) || (isDoubtful(value, sample, index) && (await isNotText?.(index))))
        throw invalidCursor()
    }
  }
  try {
    const rows = await read(values, limit)
    await check(rows.length > 0 || values.every(isNumber) ? rows : await read(null, 1))
    return rows
  } catch (error) {
    if (isUnreadable(error)) throw invalidCursor()
    if (!(error instanceof ValidationError)) await check(await read(null, 1).catch(() => []))
    throw error
  }
}

/** Explains the error of a database about a key that is a column of two tables, or only an alias of the selection. */
function ambiguity(library: Library, { keys }: Order, error: unknown): MisuseError | undefined {
  const sentence = messagesOf(error).find((message) =>
    /ambiguous|does not exist|Unknown column|no such column/i.test(message)
  )
  const key = sentence === undefined
    ? undefined
    : keys.find(({ column }) => new RegExp(`\\b${column.replace(/^.*\\./, '')}\\b`).test(sentence))
  return (
    key
    && new MisuseError(
      `${library}_key`,
      `The key "${key.column}" is not a column of exactly one table. `
        + `Write its table in front, as in 'posts.id', or select from a subquery that names it.`,
    )
  )
}

/** Returns true for a value that every database compares in the same way. */
function isNumber(value: unknown): boolean {
  return typeof value === 'number' || TEXTS.number?.test(String(value)) === true
}

function valuesOf([spelling, ...values]: Position, order: Order): Position {
  if (spelling !== order.spelling || values.length !== order.keys.length) throw invalidCursor()
  if (values.some((value, index) => value === null && order.keys[index]?.nullable !== true)) throw invalidCursor()
  if (values.some((value) => typeof value === 'string' && /\0|\p{Surrogate}/u.test(value))) throw invalidCursor()
  return values
}

/** The forms of texts in a database, by the types of the values that are read from them. */
const TEXTS: Readonly<Record<string, RegExp>> = {
  number: /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i,
  date: /^\d{4,6}-(?:0\d|1[0-2])-(?:[0-2]\d|3[01])/,
  boolean: /^(?:t|f|true|false|0|1)$/,
}

/** Returns true if a value of a cursor has the type of the value in a row. */
function resembles(value: unknown, { values, read = values }: KeyedRow<unknown>, index: number): boolean {
  const [type, own] = [typeOf(read[index]), typeOf(values[index])]
  if (own === 'null') return true
  if (typeOf(value) !== own) return false
  const pattern = own === 'string' && Object.hasOwn(TEXTS, type) ? TEXTS[type] : undefined
  return pattern === undefined || !pattern.test(String(values[index])) || pattern.test(String(value))
}

/**
 * True where a row has a number or a time as a string, and the cursor another string: the column may be one of strings,
 * or the driver may return numbers and times as strings.
 */
function isDoubtful(value: unknown, { values, read = values }: KeyedRow<unknown>, index: number): boolean {
  if (typeof read[index] !== 'string') return false
  return [TEXTS.number, TEXTS.date].some(
    (pattern) => pattern?.test(String(values[index])) === true && !pattern.test(String(value)),
  )
}

/** Returns the type of a value; a driver may return small integers as numbers and large ones as bigints. */
function typeOf(value: unknown): string {
  if (value === null || value === undefined) return 'null'
  if (value instanceof Date) return 'date'
  return typeof value === 'bigint' ? 'number' : typeof value
}

function checkValues(library: Library, { keys }: Order, values: readonly unknown[]): void {
  const missing = keys.find(
    ({ nullable }, index) => values[index] === undefined || (values[index] === null && !nullable),
  )
  if (missing === undefined) return
  throw new MisuseError(
    `${library}_key`,
    `A cursor cannot be made of "${missing.column}": it must be selected, and never null, or named in `
      + `{ nullable: ['${missing.column}'] }.`,
  )
}

/**
 * The column that holds a key as the database writes it: a JavaScript Date has no microseconds, a number no 64
 * bits.
 */
export function textColumn(index: number): string {
  return `cursorkey${index}`
}

/** The column that holds the number of a label, where MySQL sorts by it. */
export function rankColumn(index: number): string {
  return `cursorrank${index}`
}

type Row = Record<string, unknown>

/**
 * Removes these texts and numbers from a row, so that it has the columns of the caller's query; a key that is not
 * selected has no text.
 */
export function takeTexts(row: Row, keyed: readonly unknown[]): KeyedRow<Row> {
  const values = keyed.map((value, index) => {
    const [text, rank] = [row[textColumn(index)], row[rankColumn(index)]]
    delete row[textColumn(index)]
    delete row[rankColumn(index)]
    if (value === null) return null
    if (value !== undefined && rank !== null && rank !== undefined) return Number(rank)
    return value !== undefined && typeof text === 'string' ? text : undefined
  })
  return { row, values, read: keyed }
}

/**
 * The values of a cursor that was made of texts, `null` among them; the database reads them as it wrote them. On MySQL
 * a label has a number.
 */
export function textsOf(values: readonly unknown[], isMysql = false): readonly unknown[] {
  const isText = (value: unknown): boolean => value === null || typeof value === 'string'
  if (!values.every((value) => isText(value) || (isMysql && typeof value === 'number'))) throw invalidCursor()
  return values
}

/** Makes a source that slices and counts one after the other: a transaction has one connection. */
export function countingSource<Row>(
  slice: (offset: number, limit: number) => Promise<readonly Row[]>,
  count: () => Promise<number>,
): Required<Pick<PageSource<Row>, 'slice' | 'count' | 'sliceAndCount'>> {
  return {
    slice,
    count,
    async sliceAndCount(offset, limit) {
      const items = await slice(offset, limit)
      // A page that is not full is the last one, and determines the number of rows.
      const isLast = items.length < limit && (items.length > 0 || offset === 0)
      return { items, total: isLast ? offset + items.length : await count() }
    },
  }
}
