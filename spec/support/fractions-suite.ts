import express from 'express'
import { sql, type Generated } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { errorHandler, mountResource } from 'resourcery'
import { crud } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { serving } from './http.js'
import type { OpenDatabase, TestDatabase } from './databases.js'

interface Tables {
  parts: {
    id: Generated<number>
    pieces: number | null
    small: number | null
    total: string | number | null
    price: string | null
    weight: number | null
    secret: number | null
  }
}

const number = z.number().nullable().optional()
const text = z.union([z.string(), z.number()]).nullable().optional()
const In = z.object({ pieces: number, small: number, total: text, price: z.string().optional(), weight: number })
const Out = z.object({ id: z.int(), pieces: z.number().nullable(), small: z.number().nullable(), total: z.any(),
  price: z.string().nullable(), weight: z.number().nullable() })

type Out = z.output<typeof Out>

const WHOLE = ['Must be a whole number']
const TWO = ['Must have at most 2 digits after the point']

/** Tests that a database rounds no value of a caller: a store refuses it before the write, at its field. */
export function fractionsSuite(open: OpenDatabase): void {
  describe('a value with more digits than its column holds', () => {
    let database: TestDatabase<Tables>
    beforeAll(async () => {
      database = await open<Tables>()
      const id = database.dialect === 'mysql' ? 'int auto_increment primary key' : 'serial primary key'
      await sql.raw(`create table parts (id ${id}, pieces int, small smallint, total bigint, price decimal(6,2),
        weight double precision, secret int)`).execute(database.db)
    }, 60_000)
    afterAll(() => database.close())

    async function parts(options: object = {}) {
      const logged: string[] = []
      const app = express()
      mountResource(app, {
        route: '/parts',
        name: 'parts',
        ...crud(kyselyStore(database.db, 'parts', { columns: { price: 'decimal' } }), {
          input: In,
          output: Out,
          bulk: true,
          import: true,
          ...options,
        }),
      })
      app.use(errorHandler({ log: (error) => logged.push(String(error)) }))
      return { ...await serving(app), logged }
    }

    const REFUSED: readonly (readonly [fields: object, messages: object])[] = [
      [{ pieces: 1.5 }, { pieces: WHOLE }],
      [{ pieces: -0.4 }, { pieces: WHOLE }],
      [{ small: 1.5, pieces: 1 }, { small: WHOLE }],
      [{ total: 1.5 }, { total: WHOLE }],
      [{ total: '1.5' }, { total: WHOLE }],
      [{ price: '1.999' }, { price: TWO }],
      [{ price: '-0.001', pieces: 1 }, { price: TWO }],
    ]

    it.each(REFUSED)('is refused at its field: %j', async (fields, messages) => {
      const client = await parts()
      const { id } = (await client.post('/parts', { pieces: 1 })).body.data as Out
      const replies = [
        await client.post('/parts', fields),
        await client.send('PATCH', `/parts/${id}`, { body: fields }),
        await client.send('PUT', `/parts/${id}`, { body: fields }),
      ]
      for (const { status, body } of replies) expect([status, body.data]).toEqual([422, messages])
      const [[field, texts] = []] = Object.entries(messages)
      const bulk = await client.post('/parts/bulk', { items: [{ pieces: 2 }, fields] })
      expect([bulk.status, bulk.body.data]).toEqual([422, { [`items.1.${field}`]: texts }])
      expect((await client.get(`/parts/${id}`)).body.data).toMatchObject({ id, pieces: 1, price: null })
      expect(client.logged).toEqual([])
    })

    it('is refused at its line and column by an import', async () => {
      const client = await parts({ input: z.object({ pieces: z.coerce.number(), price: z.string() }) })
      const form = new FormData()
      form.set('file', new Blob(['pieces,price\n1,1.50\n1.5,2.00\n3,1.999\n'], { type: 'text/csv' }), 'parts.csv')
      const response = await fetch(`${client.url}/parts/import`, { method: 'POST', body: form })
      expect([response.status, await response.json()]).toMatchObject([422, { data: { 'line.3.pieces': WHOLE } }])
    })

    it('may have zeros after its digits, and a fraction where the column has one', async () => {
      const client = await parts()
      const fields = { pieces: 2, small: 3, total: '4', price: '12.5000', weight: 1.25 }
      const { status, body } = await client.post('/parts', fields)
      expect([status, body.data]).toMatchObject([201, { pieces: 2, small: 3, price: '12.50', weight: 1.25 }])
    })

    it('is a fault of the application where a hook has written it', async () => {
      const client = await parts({ before: { create: (fields: object) => ({ ...fields, secret: 1.5 }) } })
      expect((await client.post('/parts', { pieces: 1 })).status).toBe(500)
      expect(client.logged).toEqual([expect.stringContaining('`secret`')])
    })
  })
}
