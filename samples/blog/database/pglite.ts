import { mkdir } from 'node:fs/promises'
import { PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import { PGlite } from '@electric-sql/pglite'

/** PostgreSQL inside this process, in a folder or, without one, in memory. A folder belongs to one process at a time. */
export function pgliteDialect(folder: string | undefined): PostgresDialect {
  return new PostgresDialect({
    pool: async () => {
      if (folder !== undefined) await mkdir(folder, { recursive: true })
      return poolOfOne(await PGlite.create(folder ?? 'memory://'))
    },
  })
}

/** A pool with a single connection: a transaction keeps it to itself, and whoever comes meanwhile waits in line. */
function poolOfOne(pglite: PGlite): PostgresPool {
  // Kysely's type also has the cursors of `pg`, which it only uses where it was given their class.
  const query = ((sql: string, parameters: unknown[]): unknown => pglite.query(sql, parameters)) as PostgresPoolClient['query']
  let released = Promise.resolve()
  return {
    async connect() {
      const free = released
      let release = (): void => {}
      released = new Promise((resolve) => (release = resolve))
      await free
      return { query, release }
    },
    end: () => pglite.close(),
  }
}
