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
