import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud } from 'resourcery/crud'
import { ConflictError } from 'resourcery'
import { mountResource } from 'resourcery'
import { sample } from '../../lib/tools/testing/sample-row.js'
import { servingRoutes } from '../crud/serving.js'
import type { OpenDatabase, TestDatabase } from './databases.js'
import { createSamples, openSamples, type SampleTables } from './sample-store.js'

const Out = z.object({ id: z.int(), name: z.string(), active: z.boolean(), createdAt: z.date() })
const In = z.object({ name: z.string(), active: z.boolean().default(true) })

/** Tests concurrent changes of one row, and calls of a member on it: one of them succeeds. */
export function describeRaces(name: string, open: OpenDatabase): void {
  describe(`50 edits at once with If-Match, on ${name}`, () => {
    let database: TestDatabase<SampleTables>
    beforeAll(async () => {
      database = await open<SampleTables>()
      await createSamples(database)
    }, 60_000)
    afterAll(() => database.close())

    it.each([['the content', {}], ['a version column', { version: 'views' as const }]])(
      'succeed exactly once in each round, by %s',
      async (_, version) => {
        const { store } = await openSamples(database.db)
        const { get, send } = await servingRoutes((app) =>
          mountResource(app, {
            route: '/samples',
            name: 'samples',
            ...crud(store, { input: In, output: Out, ifMatch: 'required', ...version }),
          })
        )
        const { id } = await store.create(sample())
        for (let round = 1; round <= 5; round++) {
          const tag = String((await get(`/samples/${id}`)).headers.get('etag'))
          const replies = await Promise.all(Array.from({ length: 50 }, (_each, index) => {
            const [method, label] = [['PATCH', 'PUT'][index % 2] ?? '', `round ${round}, caller ${index}`]
            return send(method, `/samples/${id}`, { headers: { 'if-match': tag }, body: { name: label } })
          }))
          expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 49 }, () => 412)])
          const winner = replies.find(({ status }) => status === 200)
          const now = await get(`/samples/${id}`)
          expect([now.body.data, now.headers.get('etag')]).toEqual([winner?.body.data, winner?.headers.get('etag')])
          if ('version' in version) expect(await store.find([id])).toMatchObject([{ views: round }])
        }
      },
      60_000,
    )
  })

  describe(`concurrent calls of a member, on ${name}`, () => {
    let database: TestDatabase<SampleTables>
    beforeAll(async () => {
      database = await open<SampleTables>()
      await createSamples(database)
    }, 60_000)
    afterAll(() => database.close())

    /** Serves rows that are closed once: `active` becomes false, and `age` counts the calls that have closed them. */
    const serve = async () => {
      const { store } = await openSamples(database.db)
      const asking = await servingRoutes((app) =>
        mountResource(app, {
          route: '/samples',
          name: 'samples',
          ...crud(store, {
            input: In,
            output: Out,
            ifMatch: 'optional',
            version: 'views',
            members: {
              close: {
                change: ({ active, age }) => {
                  if (!active) throw new ConflictError('Already closed')
                  return { active: false, age: Number(age) + 1 }
                },
              },
            },
          }),
        })
      )
      const { id } = await store.create(sample({ age: 0, views: 1, active: true }))
      return { ...asking, store, id }
    }

    it('with one If-Match succeed exactly once, and the others are stale', async () => {
      const { get, send, store, id } = await serve()
      const headers = { 'if-match': String((await get(`/samples/${id}`)).headers.get('etag')) }
      const replies = await Promise.all(
        Array.from({ length: 20 }, () => send('POST', `/samples/${id}/close`, { headers })),
      )
      expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 412)])
      expect(await store.find([id])).toMatchObject([{ active: false, age: 1, views: 2 }])
    }, 60_000)

    it('without If-Match see what the one before them has written', async () => {
      const { send, store, id } = await serve()
      const replies = await Promise.all(Array.from({ length: 20 }, () => send('POST', `/samples/${id}/close`)))
      expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array.from({ length: 19 }, () => 409)])
      expect(await store.find([id])).toMatchObject([{ active: false, age: 1, views: 2 }])
    }, 60_000)
  })
}
