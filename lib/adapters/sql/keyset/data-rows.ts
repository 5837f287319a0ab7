import type { Library, PageSource } from '../../../core/index.js'
import { isAfter, type Condition, type Key, type LabelsOf, type Operators, type Order } from './order.js'
import { countingSource, sliceAfter } from './slice-after.js'

/** A query of a library whose conditions are plain data, without the order and the limits of a page. */
export interface DataQuery<Row> {
  readonly operators: Operators
  /** A list as the value of a column means one of its values. */
  readonly labelsOf?: LabelsOf
  /**
   * Reads the rows that also meet a condition, in the order of some keys; without keys in the order of the query. There
   * is no offset in a page by cursor.
   */
  readonly read: (where: Condition | undefined, keys: readonly Key[], range: Range) => Promise<readonly Row[]>
  /** Counts the rows that also meet a condition. */
  readonly count: (where?: Condition) => Promise<number>
}

interface Range {
  readonly offset?: number
  readonly limit: number
}

/** Makes a source of a query; a cursor holds the values of the keys in the last row. */
export function dataSource<Row>(
  library: Library,
  order: Order,
  query: DataQuery<Row>,
  valueOf: (row: Row, key: Key) => unknown,
): PageSource<Row> {
  return {
    ...countingSource((offset, limit) => readAt(query, order, offset, limit), () => query.count()),
    sliceAfter: sliceAfter(library, order, async (values, limit) => {
      const rows = await readAfterData(query, order, values, limit)
      return rows.map((row) => ({ row, values: order.keys.map((key) => valueOf(row, key)) }))
    }),
  }
}

/**
 * Reads rows by number, in the order of the keys.
 *
 * Where the first key may be null, the rows without it come last and are read by themselves: no library sorts nulls
 * last on every database.
 */
export async function readAt<Row>(
  { operators, read, count }: DataQuery<Row>,
  { keys }: Order,
  offset: number,
  limit: number,
): Promise<readonly Row[]> {
  const [first, ...rest] = keys
  if (first?.nullable !== true) return read(undefined, keys, { offset, limit })
  const hasValue = { [first.column]: { [operators.notEqual]: null } }
  const rows = await read(hasValue, keys, { offset, limit })
  if (rows.length === limit) return rows
  const before = rows.length > 0 || offset === 0 ? offset + rows.length : await count(hasValue)
  const range = { offset: Math.max(0, offset - before), limit: limit - rows.length }
  return [...rows, ...await read({ [first.column]: null }, rest, range)]
}

/** Reads the rows after the one with these values, from the start for `null`; nulls of the first key come last. */
export async function readAfterData<Row>(
  { operators, labelsOf, read }: DataQuery<Row>,
  { keys }: Order,
  values: readonly unknown[] | null,
  limit: number,
): Promise<readonly Row[]> {
  const [first, ...rest] = keys
  const both = (condition: Condition, other?: Condition): Condition =>
    other === undefined ? condition : { [operators.and]: [condition, other] }
  const after = values === null ? undefined : isAfter(keys, values, operators, labelsOf)
  if (first?.nullable !== true) return read(after, keys, { limit })
  const isAmongNulls = values !== null && values[0] === null
  const hasValue = { [first.column]: { [operators.notEqual]: null } }
  const rows = isAmongNulls ? [] : await read(both(hasValue, after), keys, { limit })
  if (rows.length === limit) return rows
  const later = isAmongNulls ? isAfter(rest, values.slice(1), operators, labelsOf) : undefined
  const range = { limit: limit - rows.length }
  return [...rows, ...await read(both({ [first.column]: null }, later), rest, range)]
}
