import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { crud, memoryStore } from 'resourcery/crud'
import { mountResource } from 'resourcery'
import { servingRoutes, type Asking } from './serving.js'

const rows = [1, 2, 3].map((id) => ({ id, title: `Note ${id}`, hours: id }))
const output = z.object({ id: z.int(), title: z.string(), hours: z.int() })
const input = output.omit({ id: true })

function servingNotes(options: object): Promise<Asking> {
  const store = memoryStore({ key: 'id', rows })
  return servingRoutes((app) => {
    mountResource(app, { route: '/notes', name: 'notes', ...crud(store, { input, output, ...options }) })
  })
}

describe('`listMeta` of crud', () => {
  it('adds to the meta of a list, by number and by cursor', async () => {
    const listMeta = (req: { query: object }, { items }: { items: { title: string }[] }) => ({
      titles: items.map(({ title }) => title),
      asked: Object.keys(req.query),
    })
    const { get } = await servingNotes({ listMeta })
    expect((await get('/notes?limit=1&page=2')).body).toMatchObject({
      data: [rows[1]],
      meta: { total: 3, page: 2, limit: 1, titles: ['Note 2'], asked: ['limit', 'page'] },
    })
    expect((await get('/notes?limit=3&cursor=')).body.meta).toEqual({
      limit: 3,
      next: null,
      titles: ['Note 1', 'Note 2', 'Note 3'],
      asked: ['limit', 'cursor'],
    })
    expect((await get('/notes/1')).body.meta).toEqual({})
  })

  it('gets the rows before their output, without the fields that the caller may not read', async () => {
    const listMeta = (_req: unknown, { items }: { items: object[] }) => ({ names: items.map(Object.keys) })
    const shown = output.omit({ hours: true })
    const { get } = await servingNotes({ output: shown, listMeta, input: z.object({}) })
    expect((await get('/notes?limit=1')).body).toMatchObject({
      data: [{ id: 1, title: 'Note 1' }],
      meta: { names: [['id', 'title', 'hours']] },
    })
    const ruled = await servingNotes({ listMeta, fields: { hours: { read: () => false } } })
    expect((await ruled.get('/notes?limit=1')).body.meta).toMatchObject({ names: [['id', 'title']] })
  })

  it('may be asynchronous, and return nothing', async () => {
    const { get } = await servingNotes({ listMeta: () => Promise.resolve({ took: 1 }) })
    expect((await get('/notes')).body.meta).toEqual({ total: 3, page: 1, limit: 20, took: 1 })
    const without = await servingNotes({ listMeta: () => undefined })
    expect((await without.get('/notes')).body.meta).toEqual({ total: 3, page: 1, limit: 20 })
  })

  it('replaces neither the figures of the page nor the sums', async () => {
    const listMeta = () => ({ total: 0, page: 0, limit: 0, next: 'x', aggregates: {}, more: 1 })
    const { get } = await servingNotes({ listMeta, aggregates: { hours: 'sum' } })
    const sums = { hours: '6' }
    expect((await get('/notes')).body.meta).toEqual({ total: 3, page: 1, limit: 20, aggregates: sums, more: 1 })
    expect((await get('/notes?cursor=')).body.meta).toEqual({ limit: 20, next: null, aggregates: sums, more: 1 })
  })

  it.each<[string, () => unknown]>([
    ['a list', () => [1]],
    ['a number', () => 5],
    ['a date', () => new Date()],
    ['an error', () => {
      throw new Error('down')
    }],
    ['a rejection', () => Promise.reject(new Error('down'))],
  ])('that ends in %s is a 500', async (_what, listMeta) => {
    const { status, body } = await (await servingNotes({ listMeta })).get('/notes')
    expect([status, body.data]).toEqual([500, null])
  })

  it('must be a function', async () => {
    await expect(servingNotes({ listMeta: { a: 1 } })).rejects.toMatchObject({ code: 'option_function' })
  })
})

describe('one method as a string', () => {
  it('works in custom actions and members, and GET is the default', async () => {
    const store = memoryStore({ key: 'id', rows })
    const { send, get } = await servingRoutes((app) => {
      mountResource(app, {
        route: '/notes',
        name: 'notes',
        ...crud(store, {
          input,
          output,
          custom: { ping: { methods: 'POST', route: '/ping', handler: () => 'pong' } },
          members: { close: { methods: 'PUT', change: () => ({ title: 'Closed' }) } },
        }),
      })
      mountResource(app, { route: '/x', name: 'x', custom: { size: { route: '/size', handler: () => 3 } } })
    })
    expect((await send('POST', '/notes/ping')).body.data).toBe('pong')
    expect((await send('PUT', '/notes/1/close')).body.data).toMatchObject({ title: 'Closed' })
    expect((await get('/x/size')).body.data).toBe(3)
    expect((await get('/notes/ping')).status).toBe(422)
  })

  it('`deleteMany` takes its ids from the query or from a body', async () => {
    const { send } = await servingNotes({})
    expect((await send('DELETE', '/notes?ids=1')).body).toMatchObject({ data: null, meta: { deleted: 1 } })
    expect((await send('DELETE', '/notes', { body: { ids: [2, 3] } })).body).toMatchObject({ meta: { deleted: 2 } })
  })
})
