import type { Catalog } from './catalog.js'
import type { Row } from './table.js'

/** The most values of one statement: SQLite takes 32,766, PostgreSQL twice as many. */
const MOST_VALUES = 30_000
const MOST_ROWS = 500

/**
 * Gives rows the columns that others have and that are null anyway, so that fewer statements add them. Only of a plain
 * table of PostgreSQL are the defaults of all columns known.
 */
export function withNulls(rows: readonly Row[], catalog: Catalog): readonly Row[] {
  const columns = new Set(rows.flatMap(Object.keys))
  const nulls = Object.fromEntries(
    [...columns].filter((name) => catalog.isNullByDefault(name)).map((name) => [name, null] as const),
  )
  return rows.map((row) => (Object.keys(row).length === 0 ? row : { ...nulls, ...row }))
}

/** The most keys of one statement, beside the values of other conditions. */
const MOST_KEYS = 10_000

/** Divides keys into parts that one statement takes, each key once. */
export function divideKeys(keys: readonly unknown[]): readonly (readonly unknown[])[] {
  if (keys.length <= MOST_KEYS) return [keys]
  const unique = [...new Set(keys)]
  return Array.from({ length: Math.ceil(unique.length / MOST_KEYS) },
    (_, part) => unique.slice(part * MOST_KEYS, (part + 1) * MOST_KEYS))
}

/** Divides rows into neighbours with the same columns; each row is alone where the database returns none. */
export function batchesOf(rows: readonly Row[], returnsRows: boolean): readonly Row[][] {
  const batches: Row[][] = []
  let [last, lastColumns, most]: [Row[], string, number] = [[], '', 0]
  for (const row of rows) {
    const names = Object.keys(row).sort()
    const columns = names.join()
    if (columns !== lastColumns || last.length >= most) {
      last = []
      batches.push(last)
      lastColumns = columns
      most = returnsRows && names.length > 0
        ? Math.max(1, Math.min(MOST_ROWS, Math.floor(MOST_VALUES / names.length)))
        : 1
    }
    last.push(row)
  }
  return batches
}
