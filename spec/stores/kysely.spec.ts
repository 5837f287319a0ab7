import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest'
import { storeCases } from 'resourcery/testing'
import { bigintSuite, type BigintTables } from '../support/bigint-suite.js'
import { openEmbedded, type TestDatabase } from '../support/databases.js'
import { createSamples, openSamples, type SampleTables } from '../support/sample-store.js'
import { sharedKeySuite } from '../support/shared-key-suite.js'
import { clearThings, createThings, kyselyThings, typedTableCases, type TypedTables } from '../support/typed-table.js'

describe('kyselyStore on the embedded PostgreSQL', () => {
  let database: TestDatabase<SampleTables>
  beforeAll(async () => {
    database = await openEmbedded<SampleTables>()
    await createSamples(database)
  })
  afterAll(() => database.close())

  it.each(storeCases(() => openSamples(database.db)))('$name', ({ run }) => run())
})

describe('the column types that kyselyStore reads from the embedded PostgreSQL', () => {
  let database: TestDatabase<TypedTables>
  beforeAll(async () => {
    database = await openEmbedded<TypedTables>()
    await createThings(database.db, 'postgres')
  })
  beforeEach(() => clearThings(database.db))
  afterAll(() => database.close())

  it.each(Object.entries(typedTableCases))('%s', (_name, run) => run(kyselyThings(database.db, 'postgres')))
})

describe('the embedded PostgreSQL', () => {
  let database: TestDatabase<BigintTables>
  beforeAll(async () => {
    database = await openEmbedded<BigintTables>()
  })
  afterAll(() => database.close())

  bigintSuite('kyselyStore', () => database.db)
})

describe('kyselyStore on the embedded PostgreSQL', () => sharedKeySuite(openEmbedded))
