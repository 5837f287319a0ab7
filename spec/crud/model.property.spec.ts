import fc from 'fast-check'
import { afterAll, beforeAll, describe, it } from 'vitest'
import type { Store } from 'resourcery/crud'
import { memoryStore } from 'resourcery/crud'
import type { SampleRow } from 'resourcery/testing'
import { openEmbedded, type TestDatabase } from '../support/databases.js'
import { forwardingStore } from '../support/forwarding-store.js'
import { closed, standing, type Client } from '../support/http.js'
import { commandsFor, compareWithModel, modelApp } from '../support/model-suite.js'
import { createSamples, openSamples, type SampleTables } from '../support/sample-store.js'

/** Set `MODEL_RUNS=1000` for more runs. */
const RUNS = Number(process.env.MODEL_RUNS ?? 100)

describe('crud compared with a list of objects', () => {
  let client: Client
  let database: TestDatabase<SampleTables>
  let current: Store<SampleRow>

  beforeAll(async () => {
    database = await openEmbedded<SampleTables>()
    await createSamples(database)
    client = await standing(modelApp(forwardingStore(() => current)))
  })
  afterAll(async () => {
    await closed(client.server)
    await database.close()
  })

  const stores = [
    ['memory', async () => memoryStore<SampleRow>({ key: 'id', unique: ['code'] }), RUNS],
    ['the embedded PostgreSQL', async () => (await openSamples(database.db)).store, RUNS],
  ] as const

  it.each(stores)('gives the same replies on %s', async (_name, make, numRuns) => {
    await fc.assert(fc.asyncProperty(commandsFor(), async (sent) => {
      current = await make()
      await compareWithModel(client, sent)
    }), { numRuns })
  }, 300_000)
})
