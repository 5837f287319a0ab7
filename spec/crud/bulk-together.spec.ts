import type { KyselyPlugin, ValuesNode } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore, type IdempotencyKey } from 'resourcery/crud'
import { mountResource } from 'resourcery'
import { kyselyStore } from 'resourcery/kysely'
import { openEmbedded, type TestDatabase } from '../support/databases.js'
import { createSamples, SAMPLE_COLUMNS, type SampleTables } from '../support/sample-store.js'
import { servingRoutes } from './serving.js'

const Out = z.object({ id: z.int(), code: z.string(), age: z.int().nullable() })
const In = z.object({ code: z.string(), age: z.int().optional() })
const MORE = { name: 'Zoe', views: 1, active: true, createdAt: new Date(0) }

describe('createMany on a store that adds rows together', () => {
  const inserts: number[] = []
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (node.kind === 'InsertQueryNode') inserts.push((node.values as ValuesNode).values.length)
      return node
    },
    transformResult: async ({ result }) => result,
  }
  let database: TestDatabase<SampleTables>
  beforeAll(async () => {
    database = await openEmbedded<SampleTables>()
    await createSamples(database)
    await database.db.schema.alterTable('samples')
      .alterColumn('name', (column) => column.setDefault(MORE.name))
      .alterColumn('views', (column) => column.setDefault(MORE.views))
      .alterColumn('active', (column) => column.setDefault(MORE.active))
      .alterColumn('createdAt', (column) => column.setDefault(MORE.createdAt.toISOString()))
      .execute()
  })
  beforeEach(async () => {
    await database.db.deleteFrom('samples').execute()
    inserts.length = 0
  })
  afterAll(() => database.close())

  const serve = (options: object = {}) =>
    servingRoutes((app) =>
      mountResource(app, {
        route: '/samples',
        name: 'samples',
        ...crud(kyselyStore(database.db.withPlugin(counting), 'samples', { columns: SAMPLE_COLUMNS }), {
          input: In,
          output: Out,
          bulk: true,
          ...options,
        }),
      })
    )
  const stored = async (): Promise<string[]> =>
    (await database.db.selectFrom('samples').select('code').orderBy('id').execute()).map(({ code }) => code)

  it('adds all items by one statement where what they leave out is null, in their order', async () => {
    const committed: string[] = []
    const { post } = await serve({ afterCommit: { create: ({ code }: { code: string }) => committed.push(code) } })
    const items = Array.from({ length: 9 }, (_, at) => ({ code: `c${at}`, ...(at % 3 === 0 && { age: at }) }))
    const { body } = await post('/samples/bulk', { items })
    expect(body).toMatchObject({ code: 201, meta: { created: 9 } })
    expect((body.data as z.infer<typeof Out>[]).map(({ code, age }) => [code, age])).toEqual(
      items.map(({ code, age = null }) => [code, age]),
    )
    expect(inserts).toEqual([9])
    expect(await stored()).toEqual(items.map(({ code }) => code))
    expect(committed).toEqual(items.map(({ code }) => code))
  })

  it('names the item that is refused, and keeps none', async () => {
    const { post } = await serve()
    const taken = await post('/samples/bulk', { items: [{ code: 'a' }, { code: 'b' }, { code: 'a' }] })
    expect(taken.body).toMatchObject({ code: 409, data: { 'items.2.code': ['Already taken'] } })
    const long = await post('/samples/bulk', { items: [{ code: 'a' }, { code: 'x'.repeat(60) }] })
    expect([long.body.code, Object.keys(long.body.data)]).toEqual([422, ['items.1.code']])
    expect(await stored()).toEqual([])
  })

  it('names the item in a request with an Idempotency-Key too', async () => {
    const keys = memoryStore<IdempotencyKey>({ key: 'id' })
    const { send } = await serve({ idempotency: { keys: () => keys, identity: () => 'all' } })
    const items = [{ code: 'a' }, { code: 'b' }, { code: 'a' }]
    const headers = { 'idempotency-key': 'one' }
    expect((await send('POST', '/samples/bulk', { body: { items }, headers })).body).toMatchObject({
      code: 409,
      data: { 'items.2.code': ['Already taken'] },
    })
    const body = { items: items.slice(0, 2) }
    expect((await send('POST', '/samples/bulk', { body, headers })).body.code).toBe(201)
    expect(await stored()).toEqual(['a', 'b'])
  })

  it('adds them one by one if a hook has to see each of them', async () => {
    const { post } = await serve({ before: { create: (fields: object) => ({ ...fields, name: 'By a hook' }) } })
    expect((await post('/samples/bulk', { items: [{ code: 'a' }, { code: 'b' }] })).status).toBe(201)
    expect(inserts).toEqual([1, 1])
  })
})
