import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STARTING, startBlog, type Blog } from '../support/blog.js'

let off: Blog
let on: Blog
beforeAll(async () => {
  ;[off, on] = await Promise.all([startBlog(), startBlog({ dux: true })])
}, STARTING)
afterAll(() => Promise.all([off.close(), on.close()]))

describe('the application `dux` of the blog', () => {
  it('is absent by default', async () => {
    for (const path of ['/dux', '/dux/login', '/dux/posts', '/dux/check', '/openapi/dux.json']) {
      expect([
        path,
        (await off.get(path)).status,
      ])
        .toEqual([path, 404])
    }
    expect((await off.get('/openapi.json')).text).not.toMatch(/\/dux|pageSize/)
  })

  it('accepts a token with and without its scheme, unlike the other applications', async () => {
    const token = on.tokens.dux.user
    expect((await on.get('/dux/posts?pageSize=2&title_sort=asc', { headers: { authorization: token } })).body.data)
      .toHaveLength(2)
    expect((await on.get('/dux/posts', { token })).status).toBe(200)
    expect((await on.get('/dux/posts')).status).toBe(401)
    for (const path of ['/admin/posts', '/admin/me', '/shop/orders']) {
      for (const bare of [token, on.tokens.admin.admin, on.tokens.shop.admin]) {
        expect((await on.get(path, { headers: { authorization: bare } })).status)
          .toBe(401)
      }
    }
  })

  it('shows the rows of the other applications', async () => {
    const { body } = await on.post('/dux/posts', [{ title: 'One' }, { title: 'Two', status: '' }], {
      token: on.tokens.dux.editor,
    })
    const ids = (body.data as { id: number }[]).map(({ id }) => id)
    expect((await on.get(`/admin/posts?ids=${ids.join()}`, { token: on.tokens.admin.user })).body.data).toEqual(
      body.data,
    )
  })

  it('hashes passwords, keeps that of a user without a new one, and never sends one', async () => {
    const { tokens: { dux: { admin: token } } } = on
    const user = { name: 'Nora', email: 'Nora@Example.test', password: 'a long password' }
    const created = await on.post('/dux/users', user, { token })
    const { id } = created.body.data as { id: number }
    expect([created.status, created.text]).toEqual([201, expect.not.stringMatching(/password/i) as string])
    const replaced = await on.send('PUT', `/dux/users/${id}`, {
      token,
      body: { name: 'Nora N.', email: user.email, password: '', age: '' },
    })
    expect(replaced.body.data).toMatchObject({
      name: 'Nora N.',
      email: 'nora@example.test',
      status: 1,
      age: null,
      role: null,
    })
    expect((await on.post('/dux/login', { email: user.email, password: user.password })).status).toBe(200)
    expect((await on.post('/admin/login', { email: user.email, password: user.password })).status).toBe(200)
  })

  it('is documented with its parameters', async () => {
    const { paths } = (await on.get('/openapi/dux.json')).body as unknown as {
      paths: Record<string, { get?: { parameters?: { name: string }[] } }>
    }
    expect(Object.keys(paths)).toEqual(
      expect.arrayContaining(['/dux/login', '/dux/check', '/dux/register', '/dux/posts', '/dux/users/{id}/avatar']),
    )
    expect(paths['/dux/users']?.get?.parameters?.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['pageSize', 'keyword', 'name_sort']),
    )
    expect((await on.get('/openapi/admin.json')).text).not.toContain('pageSize')
  })
})
