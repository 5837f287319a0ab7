import type { Opened } from './describe.js'
import { isSpelledLike, keyTexts } from './key-texts.js'
import { joinPieces, sql, type Sql } from './statement.js'
import type { Row } from './table.js'

/*
 * Finds a row that a statement has added, where the database does not return it.
 */

/** Returns the rows that have a key, or the only row, if its key is spelled like it. */
export function withKey<Db>(rows: readonly Row[], key: unknown, { table, catalog }: Opened<Db>): readonly Row[] {
  const textOf = keyTexts(catalog.column(table.key))
  const found = rows.filter((row) => textOf(row[table.key]) === textOf(key))
  return found.length > 0 || rows.length > 1
    ? found
    : rows.filter((row) => isSpelledLike(textOf(row[table.key]), textOf(key)))
}

/**
 * Returns the condition of a row that was added: its key, and the other columns of a primary key that contains it. All
 * links with one record have the same key of their store, and must not be locked.
 */
export function whereInserted<Db>({ table, codec, catalog: { primaryKey } }: Opened<Db>, row: Row, key: unknown): Sql {
  const isPart = (column: string): boolean => column !== table.key && isPlain(row[column])
  const others = primaryKey.includes(table.key) ? primaryKey.filter(isPart) : []
  // A key that the database has made may be a bigint of the driver's: it is compared as it is.
  const valueOf = (name: string): unknown => ((row[name] ?? null) === null ? key : codec.compared(name, row[name]))
  return joinPieces([table.key, ...others].map((name) => sql`${{ column: name }} in (${{ value: valueOf(name) }})`),
    ' and ')
}

/** True for a row that has the values that were written, as far as they are stored as they are. */
export function isWritten(row: Row, written: Row): boolean {
  return Object.entries(written).every(([column, value]) => !isPlain(value) || String(row[column]) === String(value))
}

function isPlain(value: unknown): value is string | number | bigint {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
}
