import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STARTING, startBlog, type Blog, type Person } from '../support/blog.js'
import type { Reply } from '../support/http.js'

interface Order {
  id: number
  userId: number | null
  items: { name: string; quantity: number; price: number }[]
  total: number
  status: string
  createdAt: string
}

describe('the orders of the blog', () => {
  let blog: Blog
  beforeAll(async () => {
    blog = await startBlog()
  }, STARTING)
  afterAll(() => blog.close())

  const send = (person: Person, method: string, path = '', body?: unknown): Promise<Reply> =>
    blog.send(method, `/shop/orders${path}`, { token: blog.tokens.shop[person], body })
  const orderOf = (reply: Reply): Order => reply.body.data
  const ordersOf = (reply: Reply): Order[] => reply.body.data

  it('are listed newest first, all of them for an admin', async () => {
    const reply = await send('admin', 'GET', '?limit=2')
    expect(reply.body.meta).toEqual({ total: 100, page: 1, limit: 2 })
    expect(ordersOf(reply)).toEqual([
      {
        id: 100,
        userId: 40,
        items: [{ name: 'Notebook', quantity: 2, price: 2.5 }],
        total: 5,
        status: 'shipped',
        createdAt: '2026-01-13T12:00:00.000Z',
      },
      {
        id: 99,
        userId: 39,
        items: [{ name: 'Stapler', quantity: 1, price: 11.5 }],
        total: 11.5,
        status: 'open',
        createdAt: '2026-01-13T11:00:00.000Z',
      },
    ])
  })

  it.each(['user', 'editor'] as const)('are listed and counted for the %s alone', async (person) => {
    const id = person === 'editor' ? 2 : 3
    const reply = await send(person, 'GET')
    expect(reply.status).toBe(200)
    expect(ordersOf(reply).map(({ userId }) => userId)).toEqual([id, id])
    expect(reply.body.meta.total).toBe(2)
  })

  it('exist for every seeded user', async () => {
    const pages = [await send('admin', 'GET', '?limit=100')]
    expect(new Set(pages.flatMap(ordersOf).map(({ userId }) => userId)).size).toBe(60)
  })

  it('are shown to the buyer and to an admin, 403 to others, and 404 if unknown', async () => {
    expect(orderOf(await send('user', 'GET', '/3')).userId).toBe(3)
    expect(orderOf(await send('admin', 'GET', '/3')).userId).toBe(3)
    const foreign = await send('user', 'GET', '/4')
    expect(foreign.status).toBe(403)
    expect(foreign.body).toEqual({
      code: 403,
      message: 'This is not your order',
      data: null,
      meta: { reason: 'order.not_yours' },
    })
    expect(foreign.headers.has('www-authenticate')).toBe(false)
    expect((await send('user', 'GET', '/999999')).status).toBe(404)
    expect((await send('user', 'GET', '/9007199254740991')).status).toBe(404)
    expect((await send('user', 'GET', '/x')).status).toBe(422)
  })

  it('are created for the caller, with a total computed from the items', async () => {
    const reply = await send('user', 'POST', '', {
      items: [{ name: 'Pen', quantity: 3, price: 0.1 }, { name: 'Paper', price: 0.2 }, { name: 'Sample' }],
      userId: 1,
      total: 0,
      status: 'shipped',
      id: 1,
    })
    expect(reply.status).toBe(201)
    expect(orderOf(reply)).toMatchObject({
      userId: 3,
      total: 0.5,
      status: 'open',
      items: [{ name: 'Pen', quantity: 3, price: 0.1 }, { name: 'Paper', quantity: 1, price: 0.2 }, {
        name: 'Sample',
        quantity: 1,
        price: 0,
      }],
    })
    const { id } = orderOf(reply)
    expect(id).toBeGreaterThan(100)
    expect(orderOf(await send('user', 'GET', `/${id}`))).toEqual(orderOf(reply))
    expect((await send('editor', 'GET', `/${id}`)).status).toBe(403)
    expect((await send('user', 'GET')).body.meta.total).toBe(3)
  })

  it('may reach the largest allowed size', async () => {
    const items = Array.from({ length: 50 }, () => ({ name: '語'.repeat(100), quantity: 1000, price: 100_000 }))
    const reply = await send('admin', 'POST', '', { items })
    expect(reply.status).toBe(201)
    expect(orderOf(reply).total).toBe(5_000_000_000)
  })

  it.each([
    ['no items', {}, ['items']],
    ['an empty list', { items: [] }, ['items']],
    ['items that are not a list', { items: { name: 'Pen' } }, ['items.name', 'items']],
    ['a nameless item', { items: [{ name: 'Pen' }, { quantity: 2 }] }, ['items.1.name']],
    ['half an item', { items: [{ name: 'Pen', quantity: 0.5 }] }, ['items.0.quantity']],
    ['no quantity at all', { items: [{ name: 'Pen', quantity: 0 }] }, ['items.0.quantity']],
    ['a negative price', { items: [{ name: 'Pen', price: -1 }] }, ['items.0.price']],
    ['a fraction of a cent', { items: [{ name: 'Pen', price: 0.001 }] }, ['items.0.price']],
    ['too many items', { items: Array.from({ length: 51 }, () => ({ name: 'Pen' })) }, ['items']],
    ['NUL in an item', { items: [{ name: 'P\0n' }] }, ['items.0.name']],
  ])('are refused with %s: 422', async (_, body, fields) => {
    const before = await blog.rows()
    const reply = await send('user', 'POST', '', body)
    expect(reply.status).toBe(422)
    expect(fields).toContain(Object.keys(reply.body.data)[0])
    expect(await blog.rows()).toEqual(before)
  })

  it('cannot be changed or deleted: 405 with the allowed methods', async () => {
    for (
      const [method, path, allow] of [['PUT', '/3', 'GET, HEAD'], ['PATCH', '/3', 'GET, HEAD'], [
        'DELETE',
        '/3',
        'GET, HEAD',
      ], ['DELETE', '', 'GET, HEAD, POST']] as const
    ) {
      const reply = await send('admin', method, path)
      expect(reply.status).toBe(405)
      expect(reply.headers.get('allow')).toBe(allow)
      expect(reply.body.meta).toEqual({ reason: 'method' })
    }
  })
})
