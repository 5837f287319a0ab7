import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud } from 'resourcery/crud'
import { param } from 'resourcery'
import { mountResource } from 'resourcery'
import { servingRoutes } from '../crud/serving.js'
import type { OpenDatabase, TestDatabase } from './databases.js'
import { createSamples, openSamples, type SampleTables } from './sample-store.js'

const Out = z.object({
  id: z.int(),
  code: z.string(),
  name: z.string(),
  age: z.int().nullable(),
  views: z.int(),
  createdAt: z.date(),
})

/** Sends each of these strings in every position of a request. */
export function naughtySuite(open: OpenDatabase, strings: readonly string[]): void {
  describe('any string that a caller sends', () => {
    let database: TestDatabase<SampleTables>
    beforeAll(async () => {
      database = await open<SampleTables>()
      await createSamples(database)
    })
    afterAll(() => database.close())

    it('is never part of an SQL statement, and never causes a 500', { timeout: 240_000 }, async () => {
      const broken: string[] = []
      const { store } = await openSamples(database.db)
      await store.create({ code: 'first', name: 'Ann', age: 1, views: 1, active: true, createdAt: new Date() })
      const { send } = await servingRoutes((app) =>
        mountResource(app, {
          route: '/samples',
          name: 'samples',
          ...crud(store, {
            input: z.object({ code: z.string().max(50), name: z.string().max(200), age: param.int().optional() }),
            output: Out,
            sort: ['name', 'createdAt'],
            search: ['name', 'code'],
            filters: {
              code: { eq: z.string() },
              name: { contains: true },
              age: { range: param.int() },
              views: { oneOf: param.int() },
              createdAt: { range: param.date() },
            },
            before: {
              create: (fields) => ({
                ...fields,
                views: 0,
                active: true,
                createdAt: new Date(),
                age: fields.age ?? null,
              }),
            },
          }),
        })
      )
      const parameters = [
        'page',
        'limit',
        'search',
        'sort',
        'cursor',
        'ids',
        'code',
        'name',
        'age_gte',
        'age_lte',
        'views',
        'createdAt_gte',
      ]
      for (const text of strings) {
        const encoded = encodeURIComponent(text.replace(/\p{Surrogate}/gu, ''))
        const replies = await Promise.all([
          ...parameters.flatMap((
            name,
          ) => [send('GET', `/samples?${name}=${encoded}`), send('GET', `/samples?${name}[${encoded}]=1`)]),
          send('GET', `/samples?${encoded}=1`),
          send('GET', `/samples?sort=-${encoded}`),
          send('DELETE', `/samples?ids=${encoded}`),
          send('DELETE', '/samples', { body: { ids: [text] } }),
          send('POST', '/samples', { body: { [text]: 1, code: text, name: text } }),
          send('PATCH', '/samples/1', { body: { [text]: text, name: text } }),
          send('PUT', '/samples/1', { body: { code: text, name: text, age: text } }),
          ...(encoded === '' || encoded === '.'
            ? []
            : [send('GET', `/samples/${encoded}`), send('DELETE', `/samples/${encoded}9`)]),
        ])
        broken.push(...replies.filter(({ status }) => status >= 500).map(({ status }) => `${text}: ${status}`))
        for (const { status, body } of replies) if (status < 300) expect(body.code).toBe(status)
      }
      expect(broken).toEqual([])
      expect(await store.list({ where: [], order: ['id'] }).count?.()).toBeGreaterThan(1)
    })

    it('is returned as it was written', { timeout: 60_000 }, async () => {
      const { store } = await openSamples(database.db)
      const { post } = await servingRoutes((app) =>
        mountResource(app, {
          route: '/samples',
          name: 'samples',
          ...crud(store, {
            input: z.object({ name: z.string().max(200) }),
            output: Out,
            before: {
              create: ({ name }) => ({
                name,
                code: String(Math.random()),
                views: 0,
                active: true,
                age: null,
                createdAt: new Date(),
              }),
            },
          }),
        })
      )
      // The embedded PostgreSQL drops a byte order mark at the beginning of a string; a server keeps it.
      for (
        const text of strings.filter((text) =>
          text !== '\ufeff' && !text.includes('\0') && !/\p{Surrogate}/u.test(text) && text.length <= 200
        )
      ) {
        expect(((await post('/samples', { name: text })).body.data as { name: string }).name).toBe(text)
      }
    })
  })
}
