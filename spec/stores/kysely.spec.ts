import { afterAll, beforeAll, describe, it } from 'vitest'
import { storeCases } from '../../lib/testing.js'
import { openEmbedded, type TestDatabase } from '../support/databases.js'
import { createSamples, openSamples, type SampleTables } from '../support/sample-store.js'

describe('kyselyStore on the embedded PostgreSQL', () => {
  let database: TestDatabase<SampleTables>
  beforeAll(async () => {
    database = await openEmbedded<SampleTables>()
    await createSamples(database)
  })
  afterAll(() => database.close())

  it.each(storeCases(() => openSamples(database.db)))('$name', ({ run }) => run())
})
