import { issueToken } from 'resourcery'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SECRET, STARTING, startBlog, type Blog } from '../support/blog.js'

const PASSWORD = 'correct horse battery staple'

describe('the login of the blog', () => {
  let blog: Blog
  beforeAll(async () => {
    blog = await startBlog()
  }, STARTING)
  afterAll(() => blog.close())

  const login = async (app: string, email: string, password: unknown = PASSWORD) =>
    blog.post(`/${app}/login`, { email, password })
  const tokenFrom = async (app: string, email: string): Promise<string> => {
    const { body } = await login(app, email)
    return (body.data as { token: string }).token
  }

  it.each(['admin', 'shop'])('issues a token of %s that the other application refuses', async (app) => {
    const reply = await login(app, 'admin@example.test')
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      code: 200,
      message: 'Signed in',
      data: { token: expect.any(String) as string },
      meta: {},
    })
    const { token } = reply.body.data as { token: string }
    const other = app === 'admin' ? '/shop/orders' : '/admin/users'
    const own = app === 'admin' ? '/admin/users' : '/shop/orders'
    expect((await blog.get(own, { token })).status).toBe(200)
    const refused = await blog.get(other, { token })
    expect(refused.status).toBe(401)
    expect(refused.body.meta).toEqual({ reason: 'token_invalid' })
    expect(refused.headers.get('www-authenticate')).toContain('error="invalid_token"')
  })

  it('ignores the case of an e-mail address', async () => {
    expect((await login('admin', 'Admin@Example.TEST')).status).toBe(200)
  })

  it.each([
    ['a wrong password', 'admin@example.test', 'incorrect horse'],
    ['an unknown address', 'nobody@example.test', PASSWORD],
    ['a user without a password', 'elif.abbott@example.test', PASSWORD],
    ['an address with another letter', 'ádmin@example.test', PASSWORD],
    ['an address with a space at its end', 'admin@example.test ', PASSWORD],
    ['a string that is not an address', "' or 1=1 --", PASSWORD],
  ])('replies the same 401 to %s', async (_, email, password) => {
    const reply = await login('admin', email, password)
    expect(reply.status).toBe(401)
    expect(reply.body).toEqual({
      code: 401,
      message: 'Wrong e-mail or password',
      data: null,
      meta: { reason: 'login.failed' },
    })
    expect(reply.headers.get('www-authenticate')).toMatch(/^Bearer/)
  })

  it('replies 422 with every invalid field', async () => {
    const reply = await blog.post('/admin/login', { email: 7 })
    expect(reply.status).toBe(422)
    expect(Object.keys(reply.body.data)).toEqual(['email', 'password'])
  })

  it('shows the signed-in user without the password hash', async () => {
    const reply = await blog.get('/admin/me', { token: await tokenFrom('admin', 'user@example.test') })
    expect(reply.body.data).toEqual({
      id: 3,
      name: 'Ursula User',
      email: 'user@example.test',
      status: 1,
      age: 51,
      role: null,
      avatarUrl: null,
      createdAt: '2026-01-01T03:00:00.000Z',
    })
  })

  it('refuses a user whose account was deleted', async () => {
    const token = await issueToken('admin', { id: 999, role: 'admin' }, { secret: SECRET })
    expect((await blog.get('/admin/me', { token })).status).toBe(401)
    const posted = await blog.post('/admin/posts', { title: 'From beyond' }, { token })
    expect(posted.status).toBe(409)
    const ordered = await blog.post('/shop/orders', { items: [{ name: 'Pen' }] }, {
      token: await issueToken('shop', { id: 999 }, { secret: SECRET }),
    })
    expect(ordered.status).toBe(409)
  })

  it('shows every signed-in user the permissions of this application', async () => {
    const reply = await blog.get('/admin/permissions', { token: blog.tokens.admin.user })
    expect(reply.status).toBe(200)
    const groups = reply.body.data as {
      label: string
      name: string
      children: { name: string; action: string; label: string }[]
    }[]
    expect(groups.map(({ name }) => name).sort()).toEqual(['posts', 'users'])
    const ids = groups.flatMap(({ children }) => children.map(({ name }) => name)).sort()
    const actions = ['create', 'delete', 'deleteMany', 'edit', 'list', 'show', 'store']
    expect(ids).toEqual(
      [
        ...actions
          .concat('restore', 'purge')
          .map((action) => `admin.posts.${action}`),
        ...actions.concat('avatar', 'export').map((action) => `admin.users.${action}`),
      ]
        .sort(),
    )
  })

  it('sends no X-Powered-By header', async () => {
    const { headers } = await blog.get('/admin/users/health')
    expect(headers.has('x-powered-by')).toBe(false)
  })
})
