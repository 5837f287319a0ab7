import type { Position } from '../../../core/index.js'
import { allOf, anyOf, joinPieces, sql, type Sql } from '../statement.js'
import type { Key } from './order.js'

/** Reads at most so many rows that meet a condition, in the order of some keys. */
export type Read<Row> = (condition: Sql | undefined, keys: readonly Key[], limit: number) => Promise<readonly Row[]>

/** A page to read: the order of its rows, the values of the row before it, and the database. */
interface AskedPage {
  readonly keys: readonly Key[]
  /** The values of the row before the page; `null` for the first page. */
  readonly values: Position | null
  readonly limit: number
  readonly isMysql: boolean
}

/**
 * Reads the rows after the one with these values, from the start for `null`.
 *
 * Where the first key may be null, the rows without it come last and are read by themselves: each of the two statements
 * is in the plain order of an index.
 */
export async function readAfter<Row>(
  { keys, values, limit, isMysql }: AskedPage,
  read: Read<Row>,
): Promise<readonly Row[]> {
  const after = (afterKeys: readonly Key[], position: Position): Sql => isAfter(afterKeys, position, isMysql)
  const [first, ...rest] = keys
  if (first?.nullable !== true) return read(values === null ? undefined : after(keys, values), keys, limit)
  const { column } = first
  const valued = [{ ...first, nullable: false }, ...rest]
  const hasValue = sql`${{ column }} is not null`
  const isAmongNulls = values !== null && values[0] === null
  const found = isAmongNulls
    ? []
    : await read(values === null ? hasValue : allOf([hasValue, after(valued, values)]), valued, limit)
  if (found.length === limit) return found
  const isNull = sql`${{ column }} is null`
  return [
    ...found,
    ...(await read(
      isAmongNulls ? allOf([isNull, after(rest, values.slice(1))]) : isNull,
      rest,
      limit - found.length,
    )),
  ]
}

/**
 * Makes the condition that a row is after the one with these values: equal in the first keys and beyond in the next
 * one. A number stands for a label of an ENUM or SET of MySQL, which it sorts by number; all other values are texts.
 */
function isAfter(keys: readonly Key[], values: Position, isMysql: boolean): Sql {
  const [[key, ...later], [value, ...next]] = [keys, values]
  if (key === undefined) return anyOf([])
  if (!isMysql && isOneRow(keys, values)) return isRowAfter(keys, values)
  const { column, descending, nullable } = key
  const rest = isAfter(later, next, isMysql)
  if (value === null) return allOf([sql`${{ column }} is null`, rest])
  const sign = descending ? '<' : '>'
  const orNull = nullable ? [sql`${{ column }} is null`] : []
  const left: Sql = typeof value === 'number' ? sql`${{ column }} + 0` : [{ column }]
  const beyond: Sql = [...left, ` ${sign} `, { value }]
  if (later.length === 0) return anyOf([beyond, ...orNull])
  // The other conditions imply the bound; with it a database begins at the right place of an index.
  const bound: Sql = [...left, ` ${sign}= `, { value }]
  // They imply the equal value too; with it MySQL skips the rows of an index that have it and are not after.
  const among = isMysql ? allOf([[...left, ' = ', { value }], rest]) : rest
  return allOf([anyOf([bound, ...orNull]), anyOf([beyond, ...orNull, among])])
}

/** True for keys in one direction, without nulls: they can be compared as one row. */
function isOneRow(keys: readonly Key[], values: Position): boolean {
  return keys.length > 1 && values.every((value) => value !== null)
    && keys.every(({ descending, nullable }) => descending === keys[0]?.descending && !nullable)
}

/**
 * Compares keys as one row: PostgreSQL and SQLite then begin at the right place of an index among equal values, which
 * they would read otherwise. MySQL uses no index for such a comparison.
 */
function isRowAfter(keys: readonly Key[], values: Position): Sql {
  const columns = joinPieces(keys.map(({ column }) => [{ column }]), ', ')
  const sign = keys[0]?.descending === true ? '<' : '>'
  return ['(', ...columns, `) ${sign} (`, ...joinPieces(values.map((value) => [{ value }]), ', '), ')']
}
