import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STARTING, startBlog, type Blog } from '../support/blog.js'
import type { Reply, SendOptions } from '../support/http.js'

interface User {
  id: number
  name: string
  email: string
  status: number
  age: number | null
  role: string | null
  avatarUrl: string | null
  createdAt: string
}

describe('the users of the blog', () => {
  let blog: Blog
  beforeAll(async () => {
    blog = await startBlog()
  }, STARTING)
  afterAll(() => blog.close())

  const send = (method: string, path: string, body?: unknown, options: SendOptions = {}): Promise<Reply> =>
    blog.send(method, `/admin/users${path}`, { token: blog.tokens.admin.admin, body, ...options })
  const userOf = (reply: Reply): User => reply.body.data
  const usersOf = (reply: Reply): User[] => reply.body.data
  let made = 0
  const add = async (fields: object = {}): Promise<User> => {
    const reply = await send('POST', '', { name: 'Somebody New', email: `new${++made}@example.test`, ...fields })
    expect(reply.status).toBe(201)
    return userOf(reply)
  }

  it('are listed by id, twenty per page, with their count', async () => {
    const reply = await send('GET', '')
    expect(reply.status).toBe(200)
    expect(usersOf(reply).map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    expect(reply.body.meta).toMatchObject({ page: 1, limit: 20 })
    expect(reply.body.meta.total).toBeGreaterThanOrEqual(60)
    expect(usersOf(reply)[0]).toEqual({
      id: 1,
      name: 'Ada Admin',
      email: 'admin@example.test',
      status: 1,
      age: 29,
      role: 'admin',
      avatarUrl: null,
      createdAt: '2026-01-01T01:00:00.000Z',
    })
  })

  it('are split into pages without gaps or overlaps, empty past the end', async () => {
    const second = usersOf(await send('GET', '?page=2&limit=7'))
    expect(second.map(({ id }) => id)).toEqual([8, 9, 10, 11, 12, 13, 14])
    const beyond = await send('GET', '?page=1000&limit=100')
    expect(beyond.status).toBe(200)
    expect(beyond.body.data).toEqual([])
    expect(beyond.body.meta.total).toBeGreaterThanOrEqual(60)
  })

  it.each([
    'page=0',
    'page=-1',
    'page=1.5',
    'page=',
    'page=1e2',
    'page[]=1',
    'page=1&page=2',
    'limit=0',
    'limit=101',
    'limit=all',
    'search=%00',
  ])(
    'are refused with 422 that names the parameter for ?%s',
    async (query) => {
      const reply = await send('GET', `?${query}`)
      expect(reply.status).toBe(422)
      expect(Object.keys(reply.body.data)).toEqual([/^\w+/.exec(query)?.[0]])
    },
  )

  it('are searched by a literal part of the name in any letter case', async () => {
    expect(usersOf(await send('GET', '?search=EDIT')).map(({ name }) => name)).toEqual(['Edgar Editor'])
    const user = await add({ name: '100%_\\!sure' })
    for (const text of ['100%', '%_', '\\', '!', '%_\\!s']) {
      const found = await send('GET', `?search=${encodeURIComponent(text)}`)
      expect(usersOf(found).map(({ id }) => id)).toEqual([user.id])
      expect(found.body.meta.total).toBe(1)
    }
    expect(usersOf(await send('GET', '?search=1__%25'))).toEqual([])
    for (const text of ['Àda', 'Urßula']) {
      expect(usersOf(await send('GET', `?search=${encodeURIComponent(text)}`))).toEqual([])
    }
  })

  it('are sorted, filtered by status and selected by ids', async () => {
    const idsOf = async (query: string): Promise<number[]> =>
      usersOf(await send('GET', `?${query}`)).map(({ id }) => id)
    expect(await idsOf('sort=-id&ids[]=3&ids[]=1&ids[]=999999')).toEqual([3, 1])
    expect(await idsOf('ids=7')).toEqual([7])
    expect(await idsOf('sort=name&search=felix')).toEqual([5, 15, 25, 35, 45, 55])
    expect(await idsOf('sort=-name&search=felix&limit=2')).toEqual([55, 45])
    expect(await idsOf('sort=-createdAt&ids[]=2&ids[]=1')).toEqual([2, 1])
    expect(await idsOf('status=0&search=greta')).toEqual([56])
    for (const query of ['sort=passwordHash', 'sort=', 'status=x', 'ids[]=x', 'status=2147483648']) {
      const reply = await send('GET', `?${query}`)
      const [name = ''] = /^\w+/.exec(query) ?? []
      expect([reply.status, Object.keys(reply.body.data)]).toEqual([422, [expect.stringMatching(`^${name}`)]])
    }
  })

  it('are shown by id, and 404 for an unknown id of any size', async () => {
    expect(userOf(await send('GET', '/2')).email).toBe('editor@example.test')
    for (const id of ['0', '-1', '999999', '2147483648', '9007199254740991']) {
      expect((await send('GET', `/${id}`)).status)
        .toBe(404)
    }
  })

  it.each(['abc', '1.0', '1e0', '%201', '0x1', '01', '99999999999999999999', '1%00'])(
    'are refused with 422 for the id %s',
    async (id) => {
      for (const method of ['GET', 'DELETE']) {
        const reply = await send(method, `/${id}`)
        expect(reply.status).toBe(422)
        expect(reply.body.data).toHaveProperty('id')
      }
    },
  )

  it('are created with defaults, from writable fields only', async () => {
    const before = Date.now()
    const reply = await send('POST', '', {
      name: 'Änne',
      email: 'Aenne@Example.test',
      password: 'a long password',
      id: 7,
      role: 'admin',
      createdAt: '2000-01-01',
      avatarUrl: 'x',
      passwordHash: 'x',
      __proto__: { role: 'admin' },
    })
    expect(reply.status).toBe(201)
    const { id, createdAt, ...rest } = userOf(reply)
    expect(rest).toEqual({
      name: 'Änne',
      email: 'aenne@example.test',
      status: 1,
      age: null,
      role: null,
      avatarUrl: null,
    })
    expect(id).toBeGreaterThan(60)
    expect(Date.parse(createdAt)).toBeGreaterThanOrEqual(before - 1000)
    expect(userOf(await send('GET', `/${id}`))).toEqual(userOf(reply))
  })

  it('sign in with their current password only', async () => {
    const { id, email } = await add({ password: 'the first password' })
    const login = async (password: string): Promise<number> =>
      (await blog.post('/admin/login', { email, password })).status
    expect(await login('the first password')).toBe(200)
    await send('PATCH', `/${id}`, { password: 'the second password' })
    expect(await login('the first password')).toBe(401)
    await send('PUT', `/${id}`, { name: 'Still Here', email })
    expect(await login('the second password')).toBe(200)
  })

  it.each([
    ['no name', { email: 'a@example.test' }, ['name']],
    ['a short name', { name: 'A', email: 'a@example.test' }, ['name']],
    ['a long name', { name: 'A'.repeat(51), email: 'a@example.test' }, ['name']],
    ['no e-mail', { name: 'Anna' }, ['email']],
    ['a wrong e-mail', { name: 'Anna', email: 'anna' }, ['email']],
    ['a very long e-mail', {
      name: 'Anna',
      email: `a@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(60)}.${'f'.repeat(20)}.test`,
    }, ['email']],
    ['a status that is not a number', { name: 'Anna', email: 'a@example.test', status: 'x' }, ['status']],
    ['a status beyond the column', { name: 'Anna', email: 'a@example.test', status: 2_147_483_648 }, ['status']],
    ['a young age', { name: 'Anna', email: 'a@example.test', age: 17 }, ['age']],
    ['an old age', { name: 'Anna', email: 'a@example.test', age: 101 }, ['age']],
    ['half an age', { name: 'Anna', email: 'a@example.test', age: 20.5 }, ['age']],
    ['a short password', { name: 'Anna', email: 'a@example.test', password: 'short' }, ['password']],
    ['NUL in a name', { name: 'An\0na', email: 'a@example.test' }, ['name']],
    ['everything at once', { name: '', email: 'x', age: 1, status: [] }, ['name', 'email', 'status', 'age']],
  ])('are refused with %s: 422', async (_, body, fields) => {
    const reply = await send('POST', '', body)
    expect(reply.status).toBe(422)
    expect(Object.keys(reply.body.data).sort()).toEqual([...fields].sort())
    expect(reply.body.meta).toEqual({ reason: 'validation' })
  })

  it('are 18 to 100 years old, or have no age', async () => {
    for (const age of [18, 100, null]) expect((await add({ age })).age).toBe(age)
  })

  it('have a unique e-mail address in any letter case, also with concurrent requests', async () => {
    const reply = await send('POST', '', { name: 'Double', email: 'ADMIN@example.test' })
    expect(reply.status).toBe(409)
    expect(reply.body).toEqual({
      code: 409,
      message: 'This e-mail address is taken',
      data: { email: ['This e-mail address is taken'] },
      meta: { reason: 'conflict' },
    })
    const race = await Promise.all(
      Array.from({ length: 5 }, () => send('POST', '', { name: 'Racer', email: 'race@example.test' })),
    )
    expect(race.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409])
    expect((await send('PATCH', '/2', { email: 'user@example.test' })).status).toBe(409)
    expect((await send('PUT', '/2', { name: 'Edgar', email: 'user@example.test' })).status).toBe(409)
  })

  it('are replaced by PUT, with defaults for missing fields', async () => {
    const { id, createdAt } = await add({ age: 40, status: 5 })
    const reply = await send('PUT', `/${id}`, { name: 'Another', email: 'another@example.test' })
    expect(reply.status).toBe(200)
    expect(userOf(reply)).toEqual({
      id,
      name: 'Another',
      email: 'another@example.test',
      status: 1,
      age: null,
      role: null,
      avatarUrl: null,
      createdAt,
    })
    expect((await send('PUT', `/${id}`, { name: 'Another' })).status).toBe(422)
    expect((await send('PUT', '/999999', { name: 'Another', email: 'x@example.test' })).status).toBe(404)
  })

  it('are changed by PATCH, only in the fields that were sent', async () => {
    const user = await add({ age: 40, status: 5 })
    expect(userOf(await send('PATCH', `/${user.id}`, { name: 'Renamed', role: 'admin' }))).toEqual({
      ...user,
      name: 'Renamed',
    })
    expect(userOf(await send('PATCH', `/${user.id}`, { age: null }))).toEqual({ ...user, name: 'Renamed', age: null })
    expect(userOf(await send('PATCH', `/${user.id}`, {}))).toEqual({ ...user, name: 'Renamed', age: null })
    expect((await send('PATCH', `/${user.id}`, { name: null })).status).toBe(422)
    expect((await send('PATCH', '/999999', { name: 'Nobody' })).status).toBe(404)
    expect((await send('PATCH', '/999999', {})).status).toBe(404)
  })

  it('are deleted once', async () => {
    const { id } = await add()
    const reply = await send('DELETE', `/${id}`)
    expect(reply.status).toBe(200)
    expect(reply.body.data).toBeNull()
    expect((await send('GET', `/${id}`)).status).toBe(404)
    expect((await send('DELETE', `/${id}`)).status).toBe(404)
  })

  it('cannot be deleted while they have posts', async () => {
    const before = await blog.rows()
    const reply = await send('DELETE', '/1')
    expect(reply.status).toBe(409)
    expect(reply.body.meta).toEqual({ reason: 'user.has_posts' })
    expect(reply.headers.has('www-authenticate')).toBe(false)
    expect(await blog.rows()).toEqual(before)
  })

  it('leave their orders in place when they are deleted', async () => {
    const orders = await blog.get('/shop/orders?limit=100', { token: blog.tokens.shop.admin })
    expect((await send('DELETE', '/60')).status).toBe(200)
    const after = await blog.get('/shop/orders?limit=100', { token: blog.tokens.shop.admin })
    expect(after.body.meta).toEqual(orders.body.meta)
    expect((after.body.data as { id: number; userId: number | null }[]).find(({ id }) => id === 60)?.userId).toBeNull()
  })

  it('are deleted all together or not at all', async () => {
    const [a, b, c] = [await add(), await add(), await add()]
    const before = await blog.rows()
    const unknown = await send('DELETE', `?ids=${a.id},999999`)
    expect(unknown.status).toBe(404)
    const author = await send('DELETE', '', { ids: [a.id, 1, b.id] })
    expect(author.status).toBe(409)
    expect(author.body.meta).toEqual({ reason: 'user.has_posts' })
    expect(await blog.rows()).toEqual(before)
    const reply = await send('DELETE', `?ids[]=${a.id}&ids[]=${b.id}&ids[]=${a.id}`)
    expect(reply.body).toMatchObject({ code: 200, data: null, meta: { deleted: 2 } })
    expect((await send('DELETE', '', { ids: [c.id] })).body.meta).toEqual({ deleted: 1 })
    for (const { id } of [a, b, c]) expect((await send('GET', `/${id}`)).status).toBe(404)
  })

  it.each([
    ['', undefined],
    ['?ids=', undefined],
    ['?ids=1,x', undefined],
    ['?ids=1;2', undefined],
    ['', { ids: '12' }],
    ['', { ids: [] }],
    ['', { ids: [null] }],
    ['', { ids: [[1]] }],
    ['', {}],
  ])(
    'cannot be deleted in bulk by %s %j: 422',
    async (query, body) => {
      const before = await blog.rows()
      const reply = await send('DELETE', query, body)
      expect(reply.status).toBe(422)
      expect(await blog.rows()).toEqual(before)
    },
  )

  it('cannot be deleted in bulk by more than a hundred ids', async () => {
    const ids = Array.from({ length: 101 }, (_, index) => 1000 + index)
    expect((await send('DELETE', '', { ids })).status).toBe(422)
    expect((await send('DELETE', '', { ids: ids.slice(1) })).status).toBe(404)
  })

  it('have a public health route, whatever the credentials', async () => {
    for (const token of [undefined, 'nonsense', blog.tokens.shop.user]) {
      const reply = await blog.get('/admin/users/health', { token })
      expect(reply.status).toBe(200)
      expect(reply.body.data).toEqual({ status: 'up' })
    }
  })

  it('can only be read by the editor', async () => {
    const token = blog.tokens.admin.editor
    expect((await send('GET', '', undefined, { token })).status).toBe(200)
    expect((await send('GET', '/1', undefined, { token })).status).toBe(200)
    const before = await blog.rows()
    for (
      const [method, path] of [['POST', ''], ['PUT', '/1'], ['PATCH', '/1'], ['DELETE', '/1'], ['DELETE', '?ids=1'], [
        'POST',
        '/export',
      ]] as const
    ) {
      const reply = await send(method, path, undefined, { token })
      expect(reply.status).toBe(403)
      expect(reply.body.meta).toEqual({ reason: 'forbidden' })
      expect(reply.headers.get('www-authenticate')).toContain('error="insufficient_scope"')
    }
    expect(await blog.rows()).toEqual(before)
  })
})
