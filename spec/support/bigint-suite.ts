import express from 'express'
import { errorHandler, mountResource, param } from 'resourcery'
import { crud } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { inject } from 'resourcery/testing'
import type { Kysely } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

export interface BigintTables {
  ledger: { id: bigint; size: bigint; note: string | null }
}

const LARGE = '9223372036854775807'

/** Describes a resource whose key and column are bigints of a database. */
export function bigintSuite(name: string, open: () => Kysely<BigintTables>): void {
  describe(`a bigint column of ${name}`, () => {
    const app = express()

    beforeAll(async () => {
      const db = open()
      await db.schema.createTable('ledger')
        .addColumn('id', 'bigint', (column) => column.primaryKey())
        .addColumn('size', 'bigint', (column) => column.notNull())
        .addColumn('note', 'varchar(50)')
        .execute()
      mountResource(app, {
        route: '/ledger',
        name: 'ledger',
        ...crud(kyselyStore(db, 'ledger', { columns: { id: 'bigint', size: 'bigint' } }), {
          id: param.bigint(),
          input: z.object({ id: param.bigint(), size: param.bigint(), note: z.string().nullable().default(null) }),
          output: z.object({ id: z.bigint(), size: z.bigint(), note: z.string().nullable() }),
          sort: ['size'],
          filters: { size: { eq: param.bigint(), range: param.bigint() } },
          ifMatch: 'optional',
        }),
      })
      app.use(errorHandler({ log: (error) => {
        throw error
      } }))
      for (const body of [{ id: '1', size: '9007199254740993' }, { id: LARGE, size: `-${LARGE}` }, { id: 3,
        size: 3 }])
      {
        const { status } = await send('POST', '/ledger', body)
        expect(status).toBe(201)
      }
    })

    const send = (method: string, path: string, body?: unknown) =>
      inject<{ data: { id: string }[]; meta: { next: string } }>(app, { method, path, body })
    const idsOf = async (query: string): Promise<string[]> =>
      (await send('GET', `/ledger?${query}`)).json.data.map(({ id }) => id)

    it('is stored and replied with all digits', async () => {
      expect((await send('GET', `/ledger/${LARGE}`)).json.data).toEqual({ id: LARGE, size: `-${LARGE}`, note: null })
      expect((await send('PATCH', '/ledger/1', { size: '9007199254740995' })).json.data).toMatchObject({
        id: '1',
        size: '9007199254740995',
      })
      expect((await send('PATCH', '/ledger/1', { size: '9007199254740993' })).status).toBe(200)
    })

    it('is sorted, paged and filtered with all digits', async () => {
      expect(await idsOf('sort=size')).toEqual([LARGE, '3', '1'])
      expect(await idsOf('size=9007199254740993')).toEqual(['1'])
      expect(await idsOf('size=9007199254740992')).toEqual([])
      expect(await idsOf('size_gte=9007199254740993')).toEqual(['1'])
      expect(await idsOf(`ids=${LARGE},3&sort=size`)).toEqual([LARGE, '3'])
      const { json } = await send('GET', '/ledger?sort=-size&limit=1&cursor=')
      expect(await idsOf(`sort=-size&limit=2&cursor=${json.meta.next}`)).toEqual(['3', LARGE])
    })

    it('refuses a value beyond its range, and finds none', async () => {
      const beyond = '9223372036854775808'
      const { status, json } = await send('POST', '/ledger', { id: '7', size: beyond })
      expect([status, Object.values(json.data)]).toEqual([422, [['Is out of range']]])
      expect((await send('GET', `/ledger/${beyond}`)).status).toBe(404)
      expect(await idsOf(`size=${'9'.repeat(40)}`)).toEqual([])
      expect(await idsOf(`size_gte=${beyond}`)).toEqual([])
    })
  })
}
