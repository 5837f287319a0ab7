import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { mountResource } from 'resourcery'
import { crud } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { servingRoutes } from '../crud/serving.js'
import { servers, type OpenDatabase } from '../support/databases.js'

interface Schema {
  shops: { id: number; opensAt: string | null }
}

const Meta = z.object({ next: z.string().nullable() })

async function serve(open: OpenDatabase) {
  const { db, close } = await open<Schema>()
  onTestFinished(close)
  await sql`create table shops (id int primary key, ${sql.ref('opensAt')} time)`.execute(db)
  for (const [id, opensAt] of [[1, '09:30:00'], [2, '07:00:00'], [3, '22:15:30'], [4, null]] as const)
    await db.insertInto('shops').values({ id, opensAt }).execute()
  const Shop = z.object({ id: z.int(), opensAt: z.string().nullable() })
  const time = z.string()
  return servingRoutes((app) =>
    mountResource(app, {
      route: '/shops',
      name: 'shops',
      ...crud(kyselyStore(db, 'shops'), {
        input: Shop,
        output: Shop,
        sort: ['opensAt'],
        filters: { opensAt: { eq: time, range: time, ne: time } },
      }),
    })
  )
}

describe.each(servers)('a column of times of day on %s', (_name, open) => {
  it.each<[query: string, ids: readonly number[]]>([
    ['opensAt=09:30', [1]],
    ['opensAt=09:30:00', [1]],
    ['opensAt_gte=08:00&sort=-opensAt', [3, 1]],
    ['opensAt_lte=09:30:00&sort=opensAt', [2, 1]],
    ['opensAt_ne=07:00', [1, 3, 4]],
    ['opensAt=25:00', []],
    ['opensAt=soon', []],
    ['opensAt_gte=', []],
    ['opensAt=930', []],
    ['opensAt=900:00:00', []],
    ['opensAt=09:30:00.0000001', []],
  ])('is filtered by %s', async (query, ids) => {
    const { get } = await serve(open)
    const { status, body } = await get(`/shops?${query}`)
    expect([status, (body.data as { id: number }[]).map(({ id }) => id)]).toEqual([200, ids])
  })

  it('is paged by cursor in the order of the day', async () => {
    const { get } = await serve(open)
    const ids: unknown[] = []
    for (let cursor: string | null = ''; cursor !== null;) {
      const { body } = await get(`/shops?sort=opensAt&limit=1&cursor=${cursor}`)
      ids.push(...(body.data as { id: number }[]).map(({ id }) => id))
      cursor = Meta.parse(body.meta).next
    }
    expect(ids).toEqual([2, 1, 3, 4])
  })
})
