import { invalidCursor, type PageSource, type Position } from '../../core/index.js'
import { compare, isOfType, remember, toDigits, type AnyRow, type Fields } from './matches.js'

/** Makes a source of rows in an order: `rows` is asked anew for each page. */
export function sourceOf(
  rows: () => readonly AnyRow[],
  order: readonly string[],
  { seen, decimals }: Fields,
): PageSource<AnyRow> {
  const keys = order.map((key) => (key.startsWith('-') ? { field: key.slice(1), sign: -1 } : { field: key, sign: 1 }))
  const valuesOf = (row: AnyRow): unknown[] => keys.map(({ field }) => row[field] ?? null)
  const byOrder = (a: Position, b: Position): number =>
    keys.reduce((found, { field, sign }, index) => {
      const read = decimals.has(field) ? toDigits : (value: unknown): unknown => value
      return found || nullsLast(read(a[index]), read(b[index]), sign)
    }, 0)
  const sort = (): readonly AnyRow[] => [...rows()].sort((a, b) => byOrder(valuesOf(a), valuesOf(b)))
  const startOf = ([spelling, ...values]: Position): Position => {
    const fits = spelling === order.join() && values.length === keys.length
    if (!fits || !keys.every(({ field }, index) => isOfType(seen, field, values[index]))) throw invalidCursor()
    return values
  }
  return {
    slice: (offset, limit) => sort().slice(offset, offset + limit).map((row) => structuredClone(row)),
    count: () => rows().length,
    sliceAfter: (position, limit) =>
      Promise.resolve().then(() => {
        const start = position === null ? null : startOf(position)
        const found = start === null ? sort() : sort().filter((row) => byOrder(valuesOf(row), start) > 0)
        const last = found.length > limit ? found[limit - 1] : undefined
        // A field that the row does not have is null in a cursor.
        if (last !== undefined) remember(seen, Object.fromEntries(keys.map(({ field }) => [field, last[field]])))
        return {
          items: found.slice(0, limit).map((row) => structuredClone(row)),
          next: last === undefined ? null : [order.join(), ...valuesOf(last)],
        }
      }),
  }
}

/** Compares in a direction; nulls come last in both. */
function nullsLast(left: unknown, right: unknown, sign: number): number {
  return left === null || right === null ? Number(left === null) - Number(right === null) : sign * compare(left, right)
}
