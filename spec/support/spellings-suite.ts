import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mountResource } from 'resourcery'
import { crud } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { servingRoutes } from '../crud/serving.js'
import type { OpenDatabase, TestDatabase } from './databases.js'

interface Tables {
  cards: { id: string; title: string }
  labels: { id: string; title: string }
}

const ONE = 'aaaaaaaa-0000-4000-8000-00000000000a'
const TWO = 'bbbbbbbb-0000-4000-8000-00000000000b'
const OTHER = 'cccccccc-0000-4000-8000-00000000000c'
const upper = (id: string): string => id.toUpperCase()

/** Describes requests that spell one key in two letter cases: of a uuid they mean one row, of a string two. */
export function spellingsSuite(open: OpenDatabase): void {
  describe('ids in capitals', () => {
    let database: TestDatabase<Tables>
    beforeAll(async () => {
      database = await open<Tables>()
      await sql`create table cards (id uuid primary key, title varchar(20))`.execute(database.db)
      await sql`create table labels (id char(36) primary key, title varchar(20))`.execute(database.db)
    })
    beforeEach(async () => {
      for (const table of ['cards', 'labels'] as const) {
        await database.db.deleteFrom(table).execute()
        await database.db.insertInto(table).values([ONE, TWO].map((id) => ({ id, title: 'old' }))).execute()
      }
    })
    afterAll(() => database.close())

    const serve = (table: 'cards' | 'labels') => {
      const Card = z.object({ id: z.string(), title: z.string() })
      const cards = crud(kyselyStore(database.db, table), {
        id: z.guid(),
        input: Card.pick({ title: true }),
        output: Card,
        bulk: ['updateMany'],
      })
      return servingRoutes((app) => mountResource(app, { route: '/cards', name: 'cards', ...cards }))
    }
    const titles = async (table: 'cards' | 'labels') =>
      (await database.db.selectFrom(table).select('title').orderBy('id').execute()).map(({ title }) => title)

    it('name one row besides the id of the same uuid', async () => {
      const { send } = await serve('cards')
      const body = { ids: [ONE, upper(ONE), TWO], data: { title: 'new' } }
      const changed = await send('PUT', '/cards', { body })
      expect([changed.status, changed.body.meta]).toEqual([200, { updated: 2 }])
      expect(await titles('cards')).toEqual(['new', 'new'])
      const deleted = await send('DELETE', `/cards?ids[]=${upper(ONE)}&ids[]=${ONE}`)
      expect([deleted.status, deleted.body.meta]).toEqual([200, { deleted: 1 }])
      expect(await titles('cards')).toEqual(['new'])
    })

    it('hide no id that does not exist', async () => {
      const { send } = await serve('cards')
      for (const ids of [[ONE, upper(ONE), OTHER], [upper(ONE), OTHER]]) {
        expect((await send('PUT', '/cards', { body: { ids, data: { title: 'new' } } })).status).toBe(404)
      }
      expect(await titles('cards')).toEqual(['old', 'old'])
    })

    it('are other ids where the key is a string', async () => {
      const { send } = await serve('labels')
      const body = { ids: [ONE, upper(ONE)], data: { title: 'new' } }
      expect((await send('PUT', '/cards', { body })).status).toBe(404)
      expect(await titles('labels')).toEqual(['old', 'old'])
    })
  })
}
