import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud } from '../../lib/crud.js'
import { mountResource } from '../../lib/resource/mount-resource.js'
import { storeCases } from '../../lib/testing.js'
import { servingRoutes } from '../crud/serving.js'
import { servers, type TestDatabase } from '../support/databases.js'
import { createSamples, openSamples, type SampleTables } from '../support/sample-store.js'

describe.each(servers)('kyselyStore on %s', (_name, open) => {
  let database: TestDatabase<SampleTables>
  beforeAll(async () => {
    database = await open<SampleTables>()
    await createSamples(database)
  })
  afterAll(() => database.close())

  it.each(storeCases(() => openSamples(database.db)))('$name', ({ run }) => run())
})

describe.each(servers)('crud on %s', (_name, open) => {
  let database: TestDatabase<SampleTables>
  beforeAll(async () => {
    database = await open<SampleTables>()
    await createSamples(database)
  })
  afterAll(() => database.close())

  it('of 100 at once who want one value serves one', async () => {
    const { store } = await openSamples(database.db)
    const { post } = await servingRoutes((app) => mountResource(app, {
      route: '/samples', name: 'samples',
      ...crud(store, {
        input: z.object({ code: z.string() }), output: z.object({ id: z.int(), code: z.string() }),
        before: { create: ({ code }) => ({ code, name: '', age: null, views: 0, active: true, createdAt: new Date() }) },
      }),
    }))
    const replies = await Promise.all(Array.from({ length: 100 }, () => post('/samples', { code: 'one' })))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 99 }, () => 409)])
    expect(await store.list({ where: [], order: ['id'] }).count?.()).toBe(1)
  })
})
