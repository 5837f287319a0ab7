import type { KyselyPlugin, ValuesNode } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ValidationError } from 'resourcery'
import { crud } from 'resourcery/crud'
import { mountResource } from '../../lib/core/resource/mount-resource.js'
import { kyselyStore } from 'resourcery/kysely'
import { openEmbedded, type TestDatabase } from '../support/databases.js'
import { formOf, FORM_TYPE } from '../support/multipart.js'
import { createSamples, SAMPLE_COLUMNS, type SampleTables } from '../support/sample-store.js'
import { servingRoutes } from './serving.js'

const Out = z.object({ id: z.int(), code: z.string(), name: z.string(), age: z.int().nullable() })
const In = z.object({ code: z.string(), age: z.coerce.number().optional() })
const MORE = { name: 'Zoe', views: 1, active: true, createdAt: new Date(0) }

interface Fields {
  readonly code: string
}

describe('batch hooks of crud', () => {
  const statements: number[] = []
  const counting: KyselyPlugin = {
    transformQuery: ({ node }) => {
      if (node.kind === 'InsertQueryNode') statements.push((node.values as ValuesNode).values.length)
      return node
    },
    transformResult: async ({ result }) => result,
  }
  let database: TestDatabase<SampleTables>
  beforeAll(async () => {
    database = await openEmbedded<SampleTables>()
    await createSamples(database)
  })
  beforeEach(async () => {
    await database.db.deleteFrom('samples').execute()
    statements.length = 0
  })
  afterAll(() => database.close())

  const serve = (options: object = {}) =>
    servingRoutes((app) =>
      mountResource(app, {
        route: '/samples',
        name: 'samples',
        ...crud(kyselyStore(database.db.withPlugin(counting), 'samples', { columns: SAMPLE_COLUMNS }), {
          input: In,
          output: Out,
          bulk: true,
          import: true,
          ...options,
        }),
      })
    )
  const stored = async (): Promise<string[]> =>
    (await database.db.selectFrom('samples').select(['code', 'name']).orderBy('id').execute())
      .map(({ code, name }) => `${code} ${name}`)
  const fill = (rows: readonly Fields[]) => rows.map((row) => ({ ...row, ...MORE }))
  const csv = (codes: readonly string[]) => ({
    body: formOf({ name: 'file', filename: 'samples.csv', content: ['code', ...codes].join('\n') }).toString(),
    headers: { 'content-type': FORM_TYPE },
  })

  it('run once for all items of a bulk creation, which are added by one statement', async () => {
    const seen: unknown[] = []
    const { post } = await serve({
      before: {
        create: () => void seen.push('create'),
        createMany: (rows: readonly Fields[], { action }: { readonly action: string }) => {
          seen.push(['before', action, rows.map(({ code }) => code)])
          return fill(rows)
        },
      },
      after: {
        create: () => void seen.push('create'),
        createMany: (rows: readonly Fields[]) => void seen.push(['after', rows.map(({ code }) => code)]),
      },
      afterCommit: { create: ({ code }: Fields) => void seen.push(['committed', code]) },
    })
    expect((await post('/samples/bulk', { items: [{ code: 'a' }, { code: 'b' }] })).body).toMatchObject({
      code: 201,
      data: [{ code: 'a', name: 'Zoe' }, { code: 'b', name: 'Zoe' }],
    })
    expect(seen).toEqual([
      ['before', 'create', ['a', 'b']],
      ['after', ['a', 'b']],
      ['committed', 'a'],
      ['committed', 'b'],
    ])
    expect(statements).toEqual([2])
  })

  it('run once for 500 rows of an import, which are added by one statement', async () => {
    const sizes: number[] = []
    const { send } = await serve({
      before: { createMany: fill },
      after: { createMany: (rows: readonly Fields[]) => void sizes.push(rows.length) },
    })
    const { body } = await send('POST', '/samples/import', csv(Array.from({ length: 1100 }, (_, at) => `c${at}`)))
    expect(body).toMatchObject({ code: 200, data: { rows: 1100, created: 1100 } })
    expect([sizes, statements]).toEqual([[500, 500, 100], [500, 500, 100]])
  })

  it('run for a single new row where there is no hook for one', async () => {
    const seen: string[] = []
    const { post } = await serve({
      before: { createMany: fill },
      after: { createMany: ([row]: readonly Fields[]) => void seen.push(row?.code ?? '') },
    })
    expect((await post('/samples', { code: 'a' })).status).toBe(201)
    expect([await stored(), seen]).toEqual([['a Zoe'], ['a']])
    const both = await serve({
      before: { create: (row: Fields) => ({ ...row, ...MORE, name: 'One' }), createMany: fill },
    })
    expect((await both.post('/samples', { code: 'b' })).status).toBe(201)
    expect(await stored()).toEqual(['a Zoe', 'b One'])
  })

  it('leave the other hook of `create` to each row', async () => {
    const seen: string[] = []
    const { post } = await serve({
      before: { createMany: fill },
      after: { create: ({ code }: Fields) => void seen.push(code) },
    })
    expect((await post('/samples/bulk', { items: [{ code: 'a' }, { code: 'b' }] })).status).toBe(201)
    expect([seen, statements]).toEqual([['a', 'b'], [1, 1]])
  })

  it('keep the name of the item and of the line that the store refuses', async () => {
    const { post, send } = await serve({ before: { createMany: fill }, after: { createMany: () => undefined } })
    const items = [{ code: 'a' }, { code: 'b' }, { code: 'a' }]
    expect((await post('/samples/bulk', { items })).body).toMatchObject({
      code: 409,
      data: { 'items.2.code': ['Already taken'] },
    })
    expect((await send('POST', '/samples/import', csv(['a', 'b', 'a']))).body).toMatchObject({
      code: 422,
      data: { 'line.4.code': ['Already taken'] },
    })
    expect(await stored()).toEqual([])
  })

  it('refuse rows by their indices, and always see all of them', async () => {
    const sizes: number[] = []
    const { post, send } = await serve({ before: { createMany: (rows: readonly Fields[]) => {
      sizes.push(rows.length)
      const bad = rows.flatMap(({ code }, index) => (code.startsWith('x') ? [[`${index}.code`, ['No x']]] : []))
      if (bad.length > 0) throw new ValidationError(Object.fromEntries(bad) as Record<string, string[]>)
      if (rows.length > 3) throw new ValidationError({ _: ['At most three'] })
      return fill(rows)
    } } })
    const items = ['a', 'x1', 'x2'].map((code) => ({ code }))
    expect((await post('/samples/bulk', { items })).body).toMatchObject({
      code: 422,
      data: { 'items.1.code': ['No x'], 'items.2.code': ['No x'] },
    })
    expect((await send('POST', '/samples/import', csv(['a', 'x1', 'x2']))).body).toMatchObject({
      code: 422,
      data: { 'line.3.code': ['No x'], 'line.4.code': ['No x'] },
    })
    expect((await post('/samples/bulk', { items: ['a', 'b', 'c', 'd'].map((code) => ({ code })) })).body).toMatchObject(
      {
        code: 422,
        data: { _: ['At most three'] },
      },
    )
    expect((await send('POST', '/samples/import', csv(['a', 'b', 'c', 'd']))).status).toBe(422)
    expect(sizes.every((size) => size >= 3)).toBe(true)
    expect(await stored()).toEqual([])
  })

  it('undo all rows where `after.createMany` throws', async () => {
    const { post } = await serve({ before: { createMany: fill }, after: { createMany: () => {
      throw new Error('No audit')
    } } })
    expect((await post('/samples/bulk', { items: [{ code: 'a' }] })).status).toBe(500)
    expect(await stored()).toEqual([])
  })

  it('must return a row for each row', async () => {
    for (const given of [[], {}, [1, 2, 3]]) {
      const { post } = await serve({ before: { createMany: () => given } })
      expect((await post('/samples/bulk', { items: [{ code: 'a' }, { code: 'b' }] })).status).toBe(500)
    }
    expect(await stored()).toEqual([])
  })

  it('cannot write a column that the table does not have, which the log names', async () => {
    const logged: unknown[] = []
    const options: readonly object[] = [
      { before: { createMany: (rows: readonly Fields[]) => fill(rows).map((row) => ({ ...row, nmae: 'x' })) } },
      { before: { create: (row: Fields) => ({ ...row, ...MORE, nmae: 'x' }) } },
    ]
    for (const one of options) {
      const { post } = await servingRoutes((app) =>
        mountResource(app, {
          route: '/samples',
          name: 'samples',
          ...crud(kyselyStore(database.db, 'samples', { columns: SAMPLE_COLUMNS }), {
            input: In,
            output: Out,
            bulk: true,
            ...one,
          }),
        }), (error) => void logged.push(error))
      expect((await post('/samples/bulk', { items: [{ code: 'a' }] })).status).toBe(500)
      expect((await post('/samples', { code: 'a' })).status).toBe(500)
    }
    expect(logged).toHaveLength(4)
    for (const error of logged) expect(String(error)).toContain('nmae')
    expect(await stored()).toEqual([])
  })
})
