import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sample } from '../../lib/tools/testing/sample-row.js'
import { kyselyStore } from 'resourcery/kysely'
import { scratchPostgres } from '../support/databases.js'
import { createSamples, SAMPLE_COLUMNS, type SampleTables } from '../support/sample-store.js'

describe('a connection closed by PostgreSQL', () => {
  let db: Kysely<SampleTables>
  let drop: () => Promise<void>
  beforeAll(async () => {
    const scratch = await scratchPostgres()
    drop = scratch.drop
    const pool = new pg.Pool({ connectionString: scratch.url })
    // A connection that breaks while in use emits an error, which would end the process without a listener.
    pool.on('connect', (client) => client.on('error', () => undefined))
    db = new Kysely<SampleTables>({ dialect: new PostgresDialect({ pool }) })
    await createSamples({ db, dialect: 'postgres' })
  })
  afterAll(() => db.destroy().then(drop))

  it('before the commit repeats the transaction, which writes once', async () => {
    const store = kyselyStore(db, 'samples', { columns: SAMPLE_COLUMNS })
    let attempts = 0
    const row = await store.transaction(async (inside) => {
      attempts++
      const created = await inside.create(sample())
      if (attempts === 1) {
        const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(inside.db)
        await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(db)
      }
      return await inside.update(created.id, { name: 'Ben' }) ?? created
    })
    expect([attempts, row.name]).toEqual([2, 'Ben'])
    expect(await store.list({ where: [], order: ['id'] }).slice(0, 10)).toEqual([row])
  })
})
