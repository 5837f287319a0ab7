import { createHmac } from 'node:crypto'
import { routesOf, type RouteInfo } from 'resourcery'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SECRET, STARTING, startBlog, type Blog } from '../support/blog.js'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
/** No row has this id, so that a permitted request finds and changes nothing. */
const NOBODY = '987654321'

describe('every route of the blog', () => {
  let blog: Blog
  let routes: RouteInfo[]
  let paths: Map<string, RouteInfo[]>
  let before: unknown
  beforeAll(async () => {
    blog = await startBlog()
    routes = routesOf(blog.app)
    paths = new Map(routes.map(({ path }) => [path, routes.filter((route) => route.path === path)]))
    before = await blog.rows()
  }, STARTING)
  afterAll(async () => {
    await blog.close()
  })

  const send = (method: string, path: string, token?: string) =>
    blog.send(method, path.replace(':id', NOBODY), { token, body: ['GET', 'HEAD'].includes(method) ? undefined : '' })
  const otherApp = (app: string | undefined): 'admin' | 'shop' => (app === 'admin' ? 'shop' : 'admin')
  const tokensOf = (app: string | undefined) => blog.tokens[app as 'admin' | 'shop']

  it('is in the list of routes', () => {
    const lines = routes.map(({ method, path, permission }) => `${method} ${path} ${permission ?? 'public'}`)
    expect(lines.sort()).toEqual([
      'DELETE /admin/posts admin.posts.deleteMany',
      'DELETE /admin/posts/:id admin.posts.delete',
      'DELETE /admin/posts/:id/purge admin.posts.purge',
      'DELETE /admin/users admin.users.deleteMany',
      'DELETE /admin/users/:id admin.users.delete',
      'GET /admin/posts admin.posts.list',
      'GET /admin/posts/:id admin.posts.show',
      'GET /admin/users admin.users.list',
      'GET /admin/users/:id admin.users.show',
      'GET /admin/users/health public',
      'GET /shop/orders shop.orders.list',
      'GET /shop/orders/:id shop.orders.show',
      'PATCH /admin/posts/:id admin.posts.store',
      'PATCH /admin/users/:id admin.users.store',
      'POST /admin/login public',
      'POST /admin/posts admin.posts.create',
      'POST /admin/users admin.users.create',
      'POST /admin/users/:id/avatar admin.users.avatar',
      'POST /admin/users/export admin.users.export',
      'POST /shop/login public',
      'POST /shop/orders shop.orders.create',
      'PUT /admin/posts/:id admin.posts.edit',
      'PUT /admin/posts/:id/restore admin.posts.restore',
      'PUT /admin/users/:id admin.users.edit',
    ])
  })

  it('replies 401 without a valid token if its markers require one', async () => {
    for (const route of routes) {
      const good = tokensOf(route.app).admin
      const bad = {
        none: undefined,
        nonsense: 'a.b.c',
        foreign: tokensOf(otherApp(route.app)).admin,
        unsigned: unsigned(good),
        expired: expired(good),
      }
      for (const [kind, token] of Object.entries(bad)) {
        const reply = await send(route.method, route.path, token)
        const name = `${route.method} ${route.path} ${kind}`
        if (route.auth === false) expect([name, reply.status === 401]).toEqual([name, false])
        else {
          expect([name, reply.status]).toEqual([name, 401])
          expect(reply.body.meta).toEqual({ reason: REASONS[kind] ?? 'token_invalid' })
          expect(reply.headers.get('www-authenticate')).toBe(
            kind === 'none'
              ? `Bearer realm="${String(route.app)}"`
              : `Bearer realm="${String(route.app)}", error="invalid_token"`,
          )
        }
      }
    }
  })

  it('replies 403 to a caller whose role does not permit it', async () => {
    const limited = { admin: 'user', shop: undefined } as const
    for (const route of routes.filter(({ can }) => can)) {
      const person = limited[route.app as 'admin' | 'shop']
      if (person === undefined) continue
      const reply = await send(route.method, route.path, tokensOf(route.app)[person])
      const allowed = ['admin.posts.list', 'admin.posts.show'].includes(String(route.permission))
      const name = `${route.method} ${route.path}`
      expect([name, reply.status === 403]).toEqual([name, !allowed])
      if (!allowed) expect(reply.headers.get('www-authenticate')).toContain('error="insufficient_scope"')
    }
  })

  it('replies 200, 404 or 422 to a caller with every permission', async () => {
    for (const route of routes) {
      const reply = await send(route.method, route.path, tokensOf(route.app).admin)
      const name = `${route.method} ${route.path}`
      expect([name, [200, 404, 422].includes(reply.status)]).toEqual([name, true])
    }
  })

  it('replies 405 to any other method, and lists the allowed ones', async () => {
    for (const [path, known] of paths) {
      const declared = new Set(known.map(({ method }) => method))
      const allow = [...declared, ...(declared.has('GET') ? ['HEAD'] : [])]
      // A static path is also one of the records: `/users/health` matches `/users/:id`.
      const wider = paths.get(path.replace(/\/(?:health|export)$/, '/:id')) ?? []
      const expected = [
        ...new Set([...allow, ...wider.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))]),
      ]
        .sort()
        .join(', ')
      for (const method of METHODS) {
        if (expected.split(', ').includes(method)) continue
        const { app } = known[0] ?? {}
        const reply = await send(method, path, tokensOf(app).admin)
        expect([`${method} ${path}`, reply.status, reply.headers.get('allow')]).toEqual([
          `${method} ${path}`,
          405,
          expected,
        ])
        expect((await send(method, path)).status).toBe(401)
      }
    }
  })

  it('answers HEAD like GET without a body, and OPTIONS without a token', async () => {
    for (const route of routes.filter(({ method, path }) => method === 'GET' && !path.includes(':'))) {
      const token = tokensOf(route.app).admin
      const head = await send('HEAD', route.path, token)
      expect([head.status, head.text]).toEqual([200, ''])
      if (route.auth !== false) expect((await send('HEAD', route.path)).status).toBe(401)
      const options = await send('OPTIONS', route.path)
      expect([options.status, options.text]).toEqual([204, ''])
      expect(options.headers.get('allow')).toContain('GET, HEAD')
    }
  })

  it('leaves other paths unknown: 401 without a sign-in, 404 with one', async () => {
    for (const app of ['admin', 'shop'] as const) {
      for (const path of [`/${app}`, `/${app}/nothing`, `/${app}/users/1/2/3`, `/${app}/login/more`]) {
        expect((await send('GET', path)).status).toBe(401)
        const reply = await send('GET', path, blog.tokens[app].user)
        expect([path, reply.status, reply.body.meta]).toEqual([path, 404, { reason: 'not_found' }])
      }
    }
    expect((await send('GET', '/nothing')).status).toBe(404)
  })

  it('leaves all rows unchanged after these requests', async () => {
    expect(await blog.rows()).toEqual(before)
  })
})

const REASONS: Readonly<Record<string, string>> = { none: 'token_missing', expired: 'token_expired' }

/** Returns the same claims with `alg: none`. */
function unsigned(token: string): string {
  return `${encoded({ alg: 'none', typ: 'JWT' })}.${token.split('.')[1] ?? ''}.`
}

/** Returns the same claims, signed and expired. */
function expired(token: string): string {
  const [header = '', payload = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
  const signed = `${header}.${encoded({ ...claims, iat: 1000, auth_time: 1000, exp: 2000 })}`
  return `${signed}.${createHmac('sha256', SECRET).update(signed).digest('base64url')}`
}

function encoded(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
