import { sql, type Kysely } from 'kysely'
import { describe } from 'vitest'
import { openMariadb, openPostgres } from '../support/databases.js'
import { nestedSuite, type NestedTables } from '../support/nested-suite.js'

describe('nested resources on PostgreSQL', () =>
  nestedSuite(openPostgres, async (db: Kysely<NestedTables>) => {
    const { rows } = await sql`select 1 from pg_locks where not granted`.execute(db)
    return rows.length > 0
  }))

describe('nested resources on MariaDB', () =>
  nestedSuite(openMariadb, async (db: Kysely<NestedTables>) => {
    const { rows } = await sql`select 1 from information_schema.innodb_trx where trx_state = 'LOCK WAIT'`.execute(db)
    return rows.length > 0
  }))
