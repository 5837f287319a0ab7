import { createRequire } from 'node:module'
import { SqliteDialect } from 'kysely'

/** What is used of `node-sqlite3-wasm`, which is installed in this folder alone, and so unknown to the compiler elsewhere. */
interface Wasm {
  readonly Database: new (path: string) => {
    all(text: string, values: unknown[]): unknown[]
    run(text: string, values: unknown[]): { readonly changes: number; readonly lastInsertRowid: number | bigint }
    close(): void
  }
}

/** SQLite in memory, as kysely's dialect for better-sqlite3 wants to see it; this build of it needs no compiler. */
export function sqliteDialect(): SqliteDialect {
  const { Database } = createRequire(import.meta.url)('node-sqlite3-wasm') as Wasm
  const db = new Database(':memory:')
  const prepare = (text: string) => ({
    reader: /^\s*(select|with)|\breturning\b/i.test(text),
    all: (values: readonly unknown[]) => db.all(text, [...values]),
    run: (values: readonly unknown[]) => {
      const { changes, lastInsertRowid } = db.run(text, [...values])
      return { changes, lastInsertRowid }
    },
    iterate: (values: readonly unknown[]) => db.all(text, [...values])[Symbol.iterator](),
  })
  return new SqliteDialect({ database: { prepare, close: () => db.close() } })
}
