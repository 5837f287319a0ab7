import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud } from 'resourcery/crud'
import { kyselyStore } from 'resourcery/kysely'
import { mountResource } from 'resourcery'
import { servingRoutes } from '../crud/serving.js'
import type { OpenDatabase, TestDatabase } from './databases.js'

interface Tables {
  pages: { tenant: string; slug: string; title: string }
}

const Page = z.object({ slug: z.string(), title: z.string() })

/** Describes a store whose key is unique in each tenant alone, so that rows of two tenants share it. */
export function sharedKeySuite(open: OpenDatabase): void {
  describe('a key that rows of two tenants share', () => {
    let database: TestDatabase<Tables>
    beforeAll(async () => {
      database = await open<Tables>()
      await sql`create table pages (tenant varchar(10) not null, slug varchar(20) not null, title varchar(20) not null,
        primary key (tenant, slug))`.execute(database.db)
    })
    beforeEach(async () => {
      await database.db.deleteFrom('pages').execute()
      await database.db.insertInto('pages').values([
        { tenant: 'one', slug: 'home', title: 'mine' },
        { tenant: 'two', slug: 'home', title: 'theirs' },
        { tenant: 'two', slug: 'other', title: 'theirs' },
      ]).execute()
    })
    afterAll(() => database.close())

    const serve = async (options: object, logged: unknown[] = []) =>
      servingRoutes((app) =>
        mountResource(app, {
          route: '/pages',
          name: 'pages',
          ...crud(kyselyStore(database.db, 'pages', { key: 'slug' }), {
            id: z.string(),
            input: Page,
            changes: Page.pick({ title: true }).partial(),
            output: Page,
            scope: () => [['tenant', '=', 'one']],
            bulk: true,
            ...options,
          }),
        }), (error) => logged.push(error))
    const stored = () => database.db.selectFrom('pages').selectAll().orderBy('tenant').orderBy('slug').execute()

    it.each([['alone', {}], ['with a hook', { after: { edit: () => undefined, store: () => undefined } }]])(
      'is refused by each write %s, and nothing is written',
      async (_name, options) => {
        const logged: unknown[] = []
        const { send } = await serve(options, logged)
        const before = await stored()
        for (const [method, path, body] of [
          ['PATCH', '/pages/home', { title: 'x' }],
          ['PUT', '/pages/home', { slug: 'home', title: 'x' }],
          ['PUT', '/pages', { ids: ['home'], data: { title: 'x' } }],
          ['DELETE', '/pages/home', undefined],
          ['DELETE', '/pages?ids[]=home', undefined],
        ] as const) {
          const reply = await send(method, path, { body })
          expect([method, path, reply.status, await stored()]).toEqual([method, path, 500, before])
        }
        expect(logged).toHaveLength(5)
        for (const error of logged) expect(error).toMatchObject({ code: 'store_key' })
      },
    )

    it('is replied with the row that was added, not with that of the other tenant', async () => {
      const { post } = await serve({})
      const { status, body } = await post('/pages', { slug: 'other', title: 'mine' })
      expect([status, body.data]).toEqual([201, { slug: 'other', title: 'mine' }])
    })
  })
}
