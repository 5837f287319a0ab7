import type { Position } from '../../../core/index.js'
import { allOf, anyOf, sql, type Sql } from '../statement.js'
import type { Key } from './order.js'

/** Reads at most so many rows that meet a condition, in the order of some keys. */
export type Read<Row> = (condition: Sql | undefined, keys: readonly Key[], limit: number) => Promise<readonly Row[]>

/**
 * Reads the rows after the one with these values, from the start for `null`.
 *
 * Where the first key may be null, the rows without it come last and are read by themselves: each of the two statements
 * is in the plain order of an index.
 */
export async function readAfter<Row>(
  keys: readonly Key[],
  values: Position | null,
  limit: number,
  read: Read<Row>,
): Promise<readonly Row[]> {
  const [first, ...rest] = keys
  if (first?.nullable !== true) return read(values === null ? undefined : isAfter(keys, values), keys, limit)
  const { column } = first
  const valued = [{ ...first, nullable: false }, ...rest]
  const hasValue = sql`${{ column }} is not null`
  const isAmongNulls = values !== null && values[0] === null
  const found = isAmongNulls
    ? []
    : await read(values === null ? hasValue : allOf([hasValue, isAfter(valued, values)]), valued, limit)
  if (found.length === limit) return found
  const isNull = sql`${{ column }} is null`
  return [
    ...found,
    ...(await read(
      isAmongNulls ? allOf([isNull, isAfter(rest, values.slice(1))]) : isNull,
      rest,
      limit - found.length,
    )),
  ]
}

/**
 * Makes the condition that a row is after the one with these values: equal in the first keys and beyond in the next
 * one. A number stands for a label of an ENUM or SET of MySQL, which it sorts by number; all other values are texts.
 */
function isAfter([key, ...later]: readonly Key[], [value, ...next]: Position): Sql {
  if (key === undefined) return anyOf([])
  const { column, descending, nullable } = key
  const rest = isAfter(later, next)
  if (value === null) return allOf([sql`${{ column }} is null`, rest])
  const sign = descending ? '<' : '>'
  const orNull = nullable ? [sql`${{ column }} is null`] : []
  const left: Sql = typeof value === 'number' ? sql`${{ column }} + 0` : [{ column }]
  const beyond: Sql = [...left, ` ${sign} `, { value }]
  if (later.length === 0) return anyOf([beyond, ...orNull])
  // The other conditions imply the bound; with it a database begins at the right place of an index.
  const bound: Sql = [...left, ` ${sign}= `, { value }]
  return allOf([anyOf([bound, ...orNull]), anyOf([beyond, ...orNull, rest])])
}
