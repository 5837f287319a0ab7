import { invalidCursor } from '../../paging/cursor.js'
import type { KeyedRow } from './slice-after.js'

/** The column that holds a key as the database writes it: a Date of JavaScript's has no microseconds, a number no 64 bits. */
export function textColumn(index: number): string {
  return `cursorkey${index}`
}

type Row = Record<string, unknown>

/** Takes these texts out of a row again, which is then what the caller's query promises; a key that is null or not selected has none. */
export function takeTexts<Found>(row: Row, keyed: readonly unknown[]): KeyedRow<Found> {
  const values = keyed.map((value, index) => {
    const text = row[textColumn(index)]
    delete row[textColumn(index)]
    return value !== null && value !== undefined && typeof text === 'string' ? text : undefined
  })
  return { row: row as Found, values, read: keyed }
}

/** The values of a cursor that was made of texts; the database reads them as it wrote them. */
export function textsOf(values: readonly unknown[]): readonly unknown[] {
  if (!values.every((value) => typeof value === 'string')) throw invalidCursor()
  return values
}
