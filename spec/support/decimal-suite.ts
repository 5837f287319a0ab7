import { sql, type Generated } from 'kysely'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { param } from 'resourcery'
import { crud, memoryStore, type Store } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { mountResource } from '../../lib/core/resource/mount-resource.js'
import { servingRoutes } from '../crud/serving.js'
import type { Asking } from '../crud/serving.js'
import type { OpenDatabase } from './databases.js'

interface Price {
  id: number
  amount: string
  discount: string | null
}

interface Tables {
  prices: { id: Generated<number>; amount: string; discount: string | null }
}

interface Opened {
  readonly store: Store<Price>
  readonly close: () => Promise<void>
}

export const inMemory = (): Promise<Opened> =>
  Promise.resolve({
    store: memoryStore<Price>({ key: 'id', unique: ['amount'], defaults: { discount: null },
      columns: { amount: 'decimal', discount: 'decimal' } }),
    close: () => Promise.resolve(),
  })

/** Opens a store of a table on a database. */
export const onDatabase = (open: OpenDatabase) => async (): Promise<Opened> => {
  const database = await open<Tables>()
  const { db, dialect } = database
  const key = dialect === 'postgres' ? 'id serial primary key' : 'id int auto_increment primary key'
  await sql.raw(`create table prices (${key}, amount decimal(40, 2) not null unique, discount decimal(10, 4))`).execute(
    db,
  )
  const store = kyselyStore(db, 'prices', { columns: { amount: 'decimal', discount: 'decimal' } })
  return { store, close: () => database.close() }
}

const amount = param.decimal({ scale: 2 })
const Out = z.object({ id: z.int(), amount, discount: param.decimal({ scale: 4 }).nullable() })
const In = z.object({ amount, discount: param.decimal({ scale: 4 }).optional() })

const LARGE = ['12345678901234567890.11', '12345678901234567890.12', '12345678901234567890.13']
const SMALL = ['9.50', '10.00', '-3.05']

async function served(store: Store<Price>): Promise<Asking> {
  const client = await servingRoutes((app) =>
    mountResource(app, {
      route: '/prices',
      name: 'prices',
      ...crud(store, {
        input: In,
        output: Out,
        bulk: true,
        sort: ['amount'],
        filters: { amount: { eq: amount, range: amount, ne: amount },
          discount: { oneOf: param.decimal({ scale: 4 }) } },
        aggregates: { amount: 'sum', discount: 'sum' },
      }),
    })
  )
  const items = [...LARGE, ...SMALL].map((one) => ({ amount: one, ...(one === '9.50' && { discount: '0.1' }) }))
  expect((await client.post('/prices/bulk', { items })).status).toBe(201)
  return client
}

/** The promises of decimals, of any store. */
export function decimalSuite(open: () => Promise<Opened>): void {
  const opened = async (): Promise<Asking & { readonly close: () => Promise<void> }> => {
    const { store, close } = await open()
    return { ...await served(store), close }
  }

  it('keeps every digit of a decimal from the wire to the row and back, with its scale', async () => {
    const { get, post, send, close } = await opened()
    for (const text of [...LARGE, ...SMALL]) {
      const { body } = await get(`/prices?amount=${text}`)
      expect(body.data).toMatchObject([{ amount: text, discount: text === '9.50' ? '0.1000' : null }])
    }
    expect((await post('/prices', { amount: '7' })).body.data).toMatchObject({ amount: '7.00', discount: null })
    expect((await send('PATCH', '/prices/7', { body: { amount: '0.1' } })).body.data).toMatchObject({ amount: '0.10' })
    expect((await post('/prices', { amount: '0.10' })).body).toMatchObject({ code: 409 })
    for (const bad of [7, '7.001', '7,5', '1e3', '', ' 7', null]) {
      expect((await post('/prices', { amount: bad })).body).toMatchObject({ code: 422,
        data: { amount: [expect.any(String)] } })
    }
    await close()
  })

  it('filters, sorts and pages by decimals exactly, and sums them', async () => {
    const { get, close } = await opened()
    const amounts = async (query: string): Promise<string[]> => {
      const { status, body } = await get(`/prices?${query}`)
      expect(status).toBe(200)
      return (body.data as readonly { amount: string }[]).map((one) => one.amount)
    }
    const sorted = ['-3.05', '9.50', '10.00', ...LARGE]
    expect(await amounts('sort=amount')).toEqual(sorted)
    expect(await amounts('sort=-amount')).toEqual(sorted.toReversed())
    expect(await amounts(`amount=${LARGE[1]}`)).toEqual([LARGE[1]])
    expect(await amounts('amount=9.5')).toEqual(['9.50'])
    expect(await amounts(`amount_ne=${LARGE[1]}&sort=amount`)).toEqual(sorted.filter((one) => one !== LARGE[1]))
    expect(await amounts(`amount_gte=${LARGE[1]}&sort=amount`)).toEqual(LARGE.slice(1))
    expect(await amounts('amount_lte=9.99&sort=amount')).toEqual(['-3.05', '9.50'])
    expect(await amounts('discount=0.1&discount=3')).toEqual(['9.50'])
    expect((await get('/prices?amount=9.505')).status).toBe(422)
    const seen: string[] = []
    let next: string | null = ''
    while (next !== null) {
      const { body } = await get(`/prices?sort=amount&limit=2&cursor=${encodeURIComponent(next)}`)
      seen.push(...(body.data as readonly { amount: string }[]).map((one) => one.amount))
      next = (body.meta as { readonly next?: string | null }).next ?? null
    }
    expect(seen).toEqual(sorted)
    expect((await get('/prices?limit=1')).body.meta).toMatchObject({
      aggregates: { amount: '37037036703703703686.81', discount: expect.stringMatching(/^0\.10*$/) as string },
    })
    await close()
  })

  it('refuses a value that is no decimal, and never selects all rows by one', async () => {
    const { store, close } = await open()
    await expect(store.create({ amount: 7 as never })).rejects.toThrow()
    await expect(store.create({ amount: 'seven' })).rejects.toThrow()
    await store.create({ amount: '7.00' })
    const found = async (operator: '=' | '!=' | '>' | '<', value: unknown): Promise<number> =>
      (await store.list({ where: [['amount', operator, value as never]], order: ['id'] }).slice(0, 9)).length
    for (const value of ['seven', 7, 'NaN']) {
      for (const operator of ['=', '!=', '>', '<'] as const) {
        expect(await found(operator, value).catch(() => 0)).toBe(0)
      }
    }
    expect(await found('>', '6.999')).toBe(1)
    expect(await found('=', '7')).toBe(1)
    expect(await found('<', '7.0000000000000001')).toBe(1)
    await close()
  })
}
