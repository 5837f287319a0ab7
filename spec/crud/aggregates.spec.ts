import express from 'express'
import { sql, type Generated } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, filter, memoryStore, type Store } from 'resourcery/crud'
import { openapi } from 'resourcery/openapi'
import { param } from 'resourcery'
import { mountResource } from 'resourcery'
import { kyselyStore } from 'resourcery/kysely'
import { openEmbedded, type TestDatabase } from '../support/databases.js'
import { servingRoutes, type Asking } from './serving.js'

interface Order {
  id: number
  team: number
  total: string
  items: number | null
  parentId: number | null
  deletedAt: Date | null
}

interface Tables {
  orders: Omit<Order, 'id'> & { id: Generated<number> }
}

const ORDERS = ['0.10', '0.20', '99999999999999.99', '-5.00', '7.05'].map((total, at): Order => ({
  id: at + 1,
  team: at < 3 ? 1 : 2,
  total,
  items: at === 1 ? null : at,
  parentId: null,
  deletedAt: null,
}))
const output = z.object({ id: z.int(), total: z.string(), items: z.int().nullable(), parentId: z.int().nullable() })
const base = {
  input: z.object({ total: z.string(), parentId: z.int().nullable().default(null) }),
  output,
  aggregates: { total: 'sum', items: 'sum' } as const,
  sort: ['total' as const],
  filters: { items: { range: param.int() } },
}

describe.each(['memory', 'kysely'])('`aggregates` on a store of %s', (kind) => {
  let database: TestDatabase<Tables>
  let store: Store<Order>
  beforeAll(async () => {
    database = await openEmbedded<Tables>()
    await sql`create table orders (id serial primary key, team int not null, total numeric(20, 2) not null,
      items int, "parentId" int, "deletedAt" timestamptz)`.execute(database.db)
    await database.db.insertInto('orders').values(ORDERS).execute()
    store = kind === 'memory'
      ? memoryStore<Order>({ key: 'id', rows: ORDERS })
      : kyselyStore(database.db, 'orders')
  })
  afterAll(() => database.close())

  const serve = (options: object = {}): Promise<Asking> =>
    servingRoutes((app) =>
      mountResource(app, {
        route: '/orders',
        name: 'orders',
        ...crud(store, { ...base, ...options }),
      })
    )

  it('are sums over all rows of the list, exact and whatever the page', async () => {
    const { get } = await serve()
    const aggregates = { total: '100000000000002.34', items: '9' }
    expect((await get('/orders?limit=2')).body.meta).toEqual({ total: 5, page: 1, limit: 2, aggregates })
    expect((await get('/orders?page=3&limit=2')).body.meta).toMatchObject({ aggregates })
    const { body } = await get('/orders?cursor=&limit=2')
    expect(body.meta).toMatchObject({ limit: 2, aggregates })
    expect((await get(`/orders?limit=2&cursor=${String(body.meta.next)}`)).body.meta).toMatchObject({ aggregates })
  })

  it('honour filters, ids, scope, soft deletion and trees, and are 0 for no rows', async () => {
    let scoped = 0
    const scope = () => {
      scoped++
      return [['team', '=', 2]]
    }
    const { get } = await serve({ scope, softDelete: { field: 'deletedAt' },
      tree: { parent: 'parentId', onDelete: 'restrict' } })
    const of = async (query: string): Promise<unknown> => (await get(`/orders${query}`)).body.meta
    expect(await of('')).toMatchObject({ total: 2, aggregates: { total: '2.05', items: '7' } })
    expect(scoped).toBe(1)
    expect(await of('?items_gte=4')).toMatchObject({ aggregates: { total: '7.05', items: '4' } })
    expect(await of('?ids=1,4')).toMatchObject({ aggregates: { total: '-5.00', items: '3' } })
    expect(await of('?tree=true')).toMatchObject({ total: 2, aggregates: { total: '2.05', items: '7' } })
    expect((await of('?items_gte=9') as { aggregates: { items: string } }).aggregates.items).toBe('0')
  })

  it('evaluate filters once, and leave out fields that the caller may not read', async () => {
    let asked = 0
    const large = filter(param.bool(), () => {
      asked++
      return [['items', '>', 2]]
    })
    const { get } = await serve({ customFilters: { large }, fields: { total: { read: () => false } }, sort: [] })
    expect((await get('/orders?large=true')).body.meta).toEqual({
      total: 2,
      page: 1,
      limit: 20,
      aggregates: { items: '7' },
    })
    expect(asked).toBe(1)
  })
})

describe('`aggregates`', () => {
  const store = memoryStore<Order>({ key: 'id', rows: ORDERS })

  it('are documented', () => {
    const app = express()
    mountResource(app, { route: '/orders', name: 'orders', ...crud(store, base) })
    const document = JSON.stringify(openapi(app, { title: 'Orders', version: '1' }).paths['/orders']?.get?.responses)
    expect(document).toContain('"aggregates":{"type":"object","properties":{"total":{"type":"string"')
  })

  it.each([
    ['another function', store, { total: 'avg' }, "there is only `'sum'`"],
    ['a column that is not sent', store, { team: 'sum' }, 'is no field of `output`'],
    ['a store that cannot sum', { ...store, sum: undefined }, { total: 'sum' }, 'needs a store'],
  ])('refuse %s when crud is called', (_fault, given, aggregates, message) => {
    expect(() => crud(given as Store<Order>, { ...base, aggregates: aggregates as { total: 'sum' } })).toThrow(
      expect.objectContaining({ code: 'crud_aggregates', message: expect.stringContaining(message) as string }),
    )
  })
})
