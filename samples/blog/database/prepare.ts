import { sql } from 'kysely'
import { createTables } from './create-tables.js'
import { isMysql } from './dialect.js'
import type { Database } from './schema.js'
import { seed } from './seed.js'

/**
 * Creates and fills what is missing. Two processes may start at once: the second waits, and then finds everything
 * there.
 */
export async function prepareDatabase(db: Database): Promise<void> {
  await db.connection().execute(async (connection) => {
    const { lock, unlock } = isMysql(db) ? MYSQL_LOCK : POSTGRES_LOCK
    await lock.execute(connection)
    try {
      await createTables(connection)
      await connection.transaction().execute(seed)
    } finally {
      await unlock.execute(connection)
    }
  })
}

/** A number of our own choosing, the same in every process. */
const LOCK = sql.lit(20_260_101)

const POSTGRES_LOCK = {
  lock: sql`select pg_advisory_lock(${LOCK})`,
  unlock: sql`select pg_advisory_unlock(${LOCK})`,
}

/** Locks of MySQL have names of at most 64 characters, and belong to the server, not to one database of it. */
const NAME = sql`concat('blog.', md5(database()))`
const SECONDS = 3600

const MYSQL_LOCK = {
  lock: sql`select get_lock(${NAME}, ${sql.lit(SECONDS)})`,
  unlock: sql`select release_lock(${NAME})`,
}
