import { invalidCursor, type Position } from '../../paging/cursor.js'
import type { PageSource } from '../../types.js'
import { compare } from './compare.js'
import type { AnyRow } from './matches.js'

/** Rows in an order as a source: `rows` is asked anew for each page. */
export function sourceOf(rows: () => readonly AnyRow[], order: readonly string[]): PageSource<AnyRow> {
  const keys = order.map((key) => (key.startsWith('-') ? { field: key.slice(1), sign: -1 } : { field: key, sign: 1 }))
  const valuesOf = (row: AnyRow): unknown[] => keys.map(({ field }) => row[field] ?? null)
  const byOrder = (a: Position, b: Position): number => keys.reduce((found, { sign }, index) => found || sign * compare(a[index], b[index]), 0)
  const sorted = (): readonly AnyRow[] => [...rows()].sort((a, b) => byOrder(valuesOf(a), valuesOf(b)))
  return {
    slice: (offset, limit) => sorted().slice(offset, offset + limit).map(copyOf),
    count: () => rows().length,
    sliceAfter: (position, limit) => {
      const start = position === null ? null : startOf(position, order)
      const found = start === null ? sorted() : sorted().filter((row) => byOrder(valuesOf(row), start) > 0)
      const last = found[limit - 1]
      return Promise.resolve({
        items: found.slice(0, limit).map(copyOf),
        next: found.length > limit && last !== undefined ? [order.join(), ...valuesOf(last)] : null,
      })
    },
  }
}

export function copyOf(row: AnyRow): AnyRow {
  return structuredClone(row)
}

function startOf([spelling, ...values]: Position, order: readonly string[]): Position {
  if (spelling !== order.join() || values.length !== order.length) throw invalidCursor()
  return values
}
