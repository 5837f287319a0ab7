import express from 'express'
import { sql } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { errorHandler, mountResource } from 'resourcery'
import { crud } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { inject } from 'resourcery/testing'
import { servers } from '../support/databases.js'

it.each(servers)('a whole number that a row could not have is refused before it is stored, on %s',
  async (_name, open) => {
    const database = await open<{ visits: { id: number; total: number | null } }>()
    onTestFinished(() => database.close())
    const id = database.dialect === 'mysql' ? 'int auto_increment' : 'serial'
    await sql.raw(`create table visits (id ${id} primary key, total bigint)`).execute(database.db)
    const app = express()
    mountResource(app, {
      route: '/visits',
      name: 'visits',
      ...crud(kyselyStore(database.db, 'visits', { columns: { total: 'integer' } }), {
        input: z.object({ total: z.number() }),
        output: z.object({ id: z.int(), total: z.number().nullable() }),
      }),
    })
    app.use(errorHandler({ log: () => undefined }))
    for (const total of [2 ** 53, -(2 ** 53), 1e20]) {
      const reply = await inject(app, { method: 'POST', path: '/visits', body: { total } })
      expect(reply).toMatchObject({ status: 422, json: { data: { total: ['Is out of range'] } } })
    }
    const last = Number.MAX_SAFE_INTEGER
    expect((await inject(app, { method: 'POST', path: '/visits', body: { total: last } })).status).toBe(201)
    const list = await inject(app, { method: 'GET', path: '/visits' })
    expect(list.json).toMatchObject({ data: [{ total: last }], meta: { total: 1 } })
  })
