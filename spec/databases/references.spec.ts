import { sql, type Kysely } from 'kysely'
import { describe } from 'vitest'
import { openMariadb, openPostgres } from '../support/databases.js'
import { referencesSuite, type ReferencesTables } from '../support/references-suite.js'

describe('references on PostgreSQL', () =>
  referencesSuite(openPostgres, async (db: Kysely<ReferencesTables>) => {
    const { rows } = await sql`select 1 from pg_locks where not granted`.execute(db)
    return rows.length > 0
  }))

describe('references on MariaDB', () =>
  referencesSuite(openMariadb, async (db: Kysely<ReferencesTables>) => {
    const { rows } = await sql`select 1 from information_schema.innodb_trx where trx_state = 'LOCK WAIT'`.execute(db)
    return rows.length > 0
  }))
