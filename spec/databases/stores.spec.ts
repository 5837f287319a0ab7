import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud } from 'resourcery/crud'
import { mountResource } from 'resourcery'
import { storeCases } from 'resourcery/testing'
import { servingRoutes } from '../crud/serving.js'
import { bigintSuite, type BigintTables } from '../support/bigint-suite.js'
import { servers, type TestDatabase } from '../support/databases.js'
import { createSamples, openSamples, type SampleTables } from '../support/sample-store.js'
import { sharedKeySuite } from '../support/shared-key-suite.js'
import { spellingsSuite } from '../support/spellings-suite.js'
import { storedValuesSuite } from '../support/stored-values-suite.js'
import { clearThings, createThings, kyselyThings, typedTableCases, type TypedTables } from '../support/typed-table.js'

describe.each(servers)('kyselyStore on %s', (_name, open) => {
  let database: TestDatabase<SampleTables>
  beforeAll(async () => {
    database = await open<SampleTables>()
    await createSamples(database)
  })
  afterAll(() => database.close())

  it.each(storeCases(() => openSamples(database.db)))('$name', ({ run }) => run())
})

describe.each(servers)('the column types that kyselyStore reads from %s', (name, open) => {
  let database: TestDatabase<TypedTables>
  beforeAll(async () => {
    database = await open<TypedTables>()
    await createThings(database.db, database.dialect)
  })
  beforeEach(() => clearThings(database.db))
  afterAll(() => database.close())

  it.each(Object.entries(typedTableCases))('%s', (_name, run) => run(kyselyThings(database.db, database.dialect)))

  it.each(['America/New_York', 'Pacific/Kiritimati'])('work in a process in %s', async (zone) => {
    const script = fileURLToPath(new URL('../support/typed-table-process.ts', import.meta.url))
    const run = promisify(execFile)
    const { stdout } = await run(process.execPath, ['--import', 'tsx', script, name.toLowerCase()], {
      env: { ...process.env, TZ: zone },
    })
    expect(JSON.parse(stdout)).toEqual({ zone, failed: [] })
  })
})

describe.each(servers)('%s', (_name, open) => {
  let database: TestDatabase<BigintTables>
  beforeAll(async () => {
    database = await open<BigintTables>()
  })
  afterAll(() => database.close())

  bigintSuite('kyselyStore', () => database.db)
})

describe.each(servers)('kyselyStore on %s', (_name, open) => {
  sharedKeySuite(open)
  storedValuesSuite(open)
  spellingsSuite(open)
})

describe.each(servers)('crud on %s', (_name, open) => {
  let database: TestDatabase<SampleTables>
  beforeAll(async () => {
    database = await open<SampleTables>()
    await createSamples(database)
  })
  afterAll(() => database.close())

  it('creates one row if 100 concurrent requests use the same unique value', async () => {
    const { store } = await openSamples(database.db)
    const { post } = await servingRoutes((app) =>
      mountResource(app, {
        route: '/samples',
        name: 'samples',
        ...crud(store, {
          input: z.object({ code: z.string() }),
          output: z.object({ id: z.int(), code: z.string() }),
          before: {
            create: ({ code }) => ({ code, name: '', age: null, views: 0, active: true, createdAt: new Date() }),
          },
        }),
      })
    )
    const replies = await Promise.all(Array.from({ length: 100 }, () => post('/samples', { code: 'one' })))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 99 }, () => 409)])
    expect(await store.list({ where: [], order: ['id'] }).count?.()).toBe(1)
  })
})
