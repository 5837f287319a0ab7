import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { mountResource, param } from 'resourcery'
import { crud } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { servingRoutes } from '../crud/serving.js'
import { servers, type OpenDatabase } from '../support/databases.js'

interface Schema {
  meters: { id: number; total: bigint | null; isOn: boolean }
}

const Meta = z.object({ next: z.string().nullable() })
const LARGEST = '18446744073709551615'

async function serve(open: OpenDatabase) {
  const { db, close } = await open<Schema>()
  onTestFinished(close)
  await sql`create table meters (id int primary key, total bigint unsigned, ${sql.ref('isOn')} bit(1) not null)`
    .execute(db)
  const Meter = z.object({ id: z.int(), total: param.bigint().nullable(), isOn: z.boolean() })
  return servingRoutes((app) =>
    mountResource(app, {
      route: '/meters',
      name: 'meters',
      ...crud(kyselyStore(db, 'meters', { columns: { total: 'bigint', isOn: 'boolean' } }), {
        input: Meter,
        output: Meter,
        sort: ['total'],
      }),
    })
  )
}

describe.each(servers.filter(([name]) => name === 'MariaDB'))('on %s', (_name, open) => {
  it('a list by cursor goes past the largest number of an unsigned column', async () => {
    const { get, post } = await serve(open)
    for (const [id, total] of [[1, LARGEST], [2, '1'], [3, null]]) await post('/meters', { id, total, isOn: true })
    const ids: unknown[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await get(`/meters?sort=-total&limit=1&cursor=${cursor}`)
      ids.push(...(body.data as { id: number }[]).map(({ id }) => id))
      cursor = Meta.parse(body.meta).next
    }
    expect(ids).toEqual([1, 2, 3])
  })

  it('a bit is read as it was written', async () => {
    const { get, post } = await serve(open)
    const written = await Promise.all([true, false].map((isOn, id) => post('/meters', { id, total: null, isOn })))
    expect(written.map(({ body }) => (body.data as { isOn: boolean }).isOn)).toEqual([true, false])
    expect((await get('/meters')).body.data).toMatchObject([{ isOn: true }, { isOn: false }])
  })
})
