import { sql } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { mountResource } from 'resourcery'
import { crud } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { servingRoutes } from '../crud/serving.js'
import { servers, type OpenDatabase } from '../support/databases.js'

interface Schema {
  cards: { id: number; level: string; uid: string; score: number }
}

const UID = '6f1c2d9e-0a58-4a0a-9a39-0c2a8d2c123'

async function serve(open: OpenDatabase) {
  const { db, dialect, close } = await open<Schema>()
  onTestFinished(close)
  const isPostgres = dialect === 'postgres'
  if (isPostgres) await sql`create type level as enum ('low', 'mid', 'high')`.execute(db)
  const level = sql.raw(isPostgres ? 'level' : "enum('low', 'mid', 'high')")
  await sql`create table cards (id int primary key, level ${level} not null, uid uuid not null,
    score ${sql.raw(isPostgres ? 'real' : 'float')} not null)`.execute(db)
  const rows = [['low', 0.1], ['mid', 1.5], ['high', 3e10]] as const
  await db.insertInto('cards')
    .values(rows.map(([each, shown], id) => ({ id, level: each, uid: `${UID}${id}`, score: shown }))).execute()
  const Card = z.object({ id: z.int(), level: z.string(), uid: z.string(), score: z.number() })
  const score = z.coerce.number()
  const { get } = await servingRoutes((app) =>
    mountResource(app, {
      route: '/cards',
      name: 'cards',
      ...crud(kyselyStore(db, 'cards'), {
        input: Card,
        output: Card,
        search: ['level', 'uid'],
        filters: { score: { oneOf: score, ne: score, range: score } },
        order: ['id'],
      }),
    })
  )
  return async (query: string): Promise<unknown> => {
    const { status, body } = await get(`/cards?${query}`)
    return status === 200 ? (body.data as { id: number }[]).map(({ id }) => id) : status
  }
}

describe.each(servers)('on %s', (_name, open) => {
  it('a search of an enum and of a uuid looks into their texts', async () => {
    const ids = await serve(open)
    expect(await ids('search=I')).toEqual([1, 2])
    expect(await ids('search=low')).toEqual([0])
    expect(await ids('search=C1232')).toEqual([2])
    expect(await ids(`search=${UID}`)).toEqual([0, 1, 2])
    expect(await ids('search=none')).toEqual([])
  })

  it('a number of single precision is found by the number that a row shows', async () => {
    const ids = await serve(open)
    expect(await ids('score=0.1')).toEqual([0])
    expect(await ids('score_ne=0.1')).toEqual([1, 2])
    expect(await ids('score_lte=0.1')).toEqual([0])
    expect(await ids('score_gte=0.1')).toEqual([0, 1, 2])
    expect(await ids('score[]=0.1&score[]=30000000000')).toEqual([0, 2])
    expect(await ids('score_lte=1e60')).toEqual([0, 1, 2])
    expect(await ids('score=1e60')).toEqual([])
  })
})
