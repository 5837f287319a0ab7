import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mountResource } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { servingRoutes } from './serving.js'

interface Book {
  id: number
  title: string
  pages?: number | null
  note?: string | null
}

const output = z.object({
  id: z.int(),
  title: z.string(),
  pages: z.int().nullable(),
  note: z.string().optional(),
})

function serve(options: object = {}) {
  const store = memoryStore<Book>({
    key: 'id',
    rows: [{ id: 1, title: 'a' }, { id: 2, title: 'b', pages: 5, note: 'n' }, { id: 3, title: 'c', note: null }],
  })
  const input = z.object({ title: z.string(), pages: z.int().nullish(), note: z.string().nullish() })
  return servingRoutes((app) =>
    mountResource(app, {
      route: '/books',
      name: 'books',
      ...crud(store, { input, output: output as never, bulk: true, ...options }),
    })
  )
}

describe('a field that a row lacks', () => {
  it('is null in the output where it may be null, and absent where it may be absent', async () => {
    const { get } = await serve()
    const rows = [
      { id: 1, title: 'a', pages: null },
      { id: 2, title: 'b', pages: 5, note: 'n' },
      { id: 3, title: 'c', pages: null },
    ]
    expect((await get('/books?sort=id')).body.data).toEqual(rows)
    for (const row of rows) expect((await get(`/books/${row.id}`)).body.data).toEqual(row)
  })

  it('is so in the replies of all writes', async () => {
    const { post, send } = await serve()
    const created = { id: 4, title: 'd', pages: null }
    expect(await post('/books', { title: 'd' })).toMatchObject({ status: 201, body: { data: created } })
    expect((await send('PATCH', '/books/3', { body: { title: 'x' } })).body.data)
      .toEqual({ id: 3, title: 'x', pages: null })
    expect((await send('PUT', '/books/2', { body: { title: 'y' } })).body.data).toEqual({ id: 2, title: 'y',
      pages: null })
    expect((await post('/books/bulk', { items: [{ title: 'e' }] })).body.data).toEqual([{ id: 5, title: 'e',
      pages: null }])
  })

  it('is not changed after a transform', async () => {
    const { get } = await serve({ transform: (row: Book) => ({ ...row, pages: row.pages ?? 0, note: 'none' }) })
    expect((await get('/books/1')).body.data).toEqual({ id: 1, title: 'a', pages: 0, note: 'none' })
  })

  it('stays null where null and absence are both allowed', async () => {
    const either = z.object({ id: z.int(), note: z.string().nullish() })
    const { get } = await serve({ output: either })
    expect((await get('/books?sort=id')).body.data).toEqual([{ id: 1 }, { id: 2, note: 'n' }, { id: 3, note: null }])
  })

  it('has its default, and a null that a default does not cover is refused', async () => {
    const { get } = await serve({ output: z.object({ id: z.int(), note: z.string().default('none') }) })
    expect((await get('/books/1')).body.data).toEqual({ id: 1, note: 'none' })
    expect((await get('/books/3')).status).toBe(500)
  })

  it('keeps a field that a caller may not read out of the output', async () => {
    const { get } = await serve({ fields: { pages: { read: () => false }, note: { read: () => false } } })
    expect((await get('/books/1')).body.data).toEqual({ id: 1, title: 'a' })
    expect((await get('/books/2')).body.data).toEqual({ id: 2, title: 'b' })
  })
})

describe('a field with the name of a property that every object has', () => {
  interface Result {
    id: number
    title: string
    constructor: number | null
  }
  const Result = z.object({ id: z.int(), title: z.string(), constructor: z.int().nullable() })
  const input = z.object({ title: z.string(), constructor: z.int().nullable().optional() })
  const results = () =>
    memoryStore<Result>({ key: 'id', defaults: { constructor: null }, rows: [{ id: 1, title: 'a', constructor: 5 }] })
  const teams = () =>
    crud(memoryStore({ key: 'id', rows: [{ id: 5 }] }), { input: z.object({}), output: z.object({ id: z.int() }) })

  it('is absent for a caller who may not read it', async () => {
    const made = crud(results(), { input, output: Result, fields: { constructor: { read: () => false } },
      export: true })
    const { get, post } = await servingRoutes((app) =>
      mountResource(app, { route: '/results', name: 'results', ...made })
    )
    expect((await get('/results')).body.data).toEqual([{ id: 1, title: 'a' }])
    expect((await post('/results', { title: 'b' })).body.data).toEqual({ id: 2, title: 'b' })
    expect((await get('/results/export')).text).toBe('id,title\r\n1,a\r\n2,b\r\n')
  })

  it('is absent where it is a relation that the caller has not asked for', async () => {
    const made = crud(memoryStore({ key: 'id', rows: [{ id: 1, title: 'a' }] }), {
      input: z.object({ title: z.string() }),
      output: z.object({ id: z.int(), title: z.string(), constructor: z.string().optional() }),
      include: { constructor: (rows) => new Map(rows.map(({ id }) => [id, 'Lotus'])) },
    })
    const { get } = await servingRoutes((app) => mountResource(app, { route: '/results', name: 'results', ...made }))
    expect((await get('/results/1')).body.data).toEqual({ id: 1, title: 'a' })
    expect((await get('/results?include=constructor')).body.data).toEqual([{ id: 1, title: 'a', constructor: 'Lotus' }])
  })

  it('is not sent where it is a reference that a request leaves out', async () => {
    const made = crud(results(), { input, output: Result, references: { constructor: teams() }, bulk: true })
    const { post, send } = await servingRoutes((app) =>
      mountResource(app, { route: '/results', name: 'results', ...made })
    )
    expect((await send('PATCH', '/results/1', { body: { title: 'b' } })).body.data).toMatchObject({ constructor: 5 })
    expect((await post('/results', { title: 'c' })).body.data).toMatchObject({ constructor: null })
    expect((await send('PATCH', '/results/1', { body: { constructor: 6 } })).body.data)
      .toEqual({ constructor: ['There is no such record'] })
  })

  it('is not sent where it is a list of children or links, or a parent, that a request leaves out', async () => {
    const lines = crud(memoryStore<{ id: number; raceId: number; n: number }>({ key: 'id' }), {
      input: z.object({ raceId: z.int(), n: z.int() }),
      output: z.object({ id: z.int(), n: z.int() }),
    })
    const links = memoryStore<{ id: number; raceId: number; teamId: number }>({ key: 'id' })
    const races = crud(memoryStore({ key: 'id', rows: [{ id: 1, title: 'a' }] }), {
      input: z.object({ title: z.string() }),
      output: z.object({ id: z.int(), title: z.string() }),
      children: { valueOf: { of: lines, column: 'raceId' } },
      links: { constructor: { of: teams(), through: links, own: 'raceId', other: 'teamId' } },
    })
    const tree = crud(results(), { input, output: Result, tree: { parent: 'constructor', onDelete: 'restrict' } })
    const { post, send } = await servingRoutes((app) => {
      mountResource(app, { route: '/races', name: 'races', ...races })
      mountResource(app, { route: '/tree', name: 'tree', ...tree })
    })
    const whole = { valueOf: [{ id: 1, n: 1 }], constructor: [5] }
    expect((await send('PATCH', '/races/1', { body: { valueOf: [{ n: 1 }], constructor: [5] } })).body.data)
      .toMatchObject(whole)
    expect((await send('PATCH', '/races/1', { body: { title: 'b' } })).body.data).toMatchObject(whole)
    expect((await post('/races', { title: 'c' })).body.data).toMatchObject({ valueOf: [], constructor: [] })
    expect((await post('/tree', { title: 'c' })).body.data).toMatchObject({ constructor: null })
  })
})
