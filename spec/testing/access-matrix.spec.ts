import express, { Router, type Express, type RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { auth, errorHandler, issueToken, mountResource, mountRoutes, notFound, permission } from 'resourcery'
import { crud, memoryStore } from 'resourcery/crud'
import { accessMatrix, inject, type AccessCallers } from 'resourcery/testing'
import { inspect } from 'node:util'

const secret = 'a secret of at least 32 bytes for the tests'
const roles = { admin: ['*'], editor: ['admin.posts.*', 'shop.orders.list'], reader: ['admin.posts.list'] }

const guards = (app: string): RequestHandler[] => [auth(app, { secret }), permission(app, { roles })]

const CALLERS = {
  admin: { id: 1, role: 'admin', app: 'admin' },
  editor: { id: 2, role: 'editor', app: 'admin' },
  shopper: { id: 3, role: 'editor', app: 'shop' },
  anonymous: null,
}

/** Counts what only a request that was let through runs. */
let runs: string[] = []

const note = (what: string): () => string => () => {
  runs.push(what)
  return what
}
const middleware = (what: string): RequestHandler => (_req, _res, next) => {
  runs.push(what)
  next()
}
const answer = (what: string): RequestHandler => (_req, res) => {
  runs.push(what)
  res.end(what)
}

/** Builds an app of several applications, with guards in all the places where they may be. */
function application(): Express {
  runs = []
  const app = express()
  app.use(middleware('middleware'), express.json())
  app.get('/health', answer('health'))
  const admin = Router()
  admin.use(...guards('admin'))
  mountResource(admin, {
    app: 'admin',
    route: '/posts',
    name: 'posts',
    use: middleware('use'),
    handlers: { list: note('list'), show: note('show'), create: note('create'), delete: note('delete') },
    custom: {
      popular: { methods: ['GET'], route: '/popular', auth: false, handler: note('popular') },
      mine: { methods: ['GET'], route: '/mine', can: false, handler: note('mine') },
    },
  })
  const nested = Router({ mergeParams: true })
  mountRoutes(nested, {
    app: 'admin',
    route: '/jobs',
    name: 'jobs',
    routes: { run: { methods: ['POST', 'PUT'], route: '/:id/run', handler: note('run') } },
  })
  admin.use('/tenants/:tenant', nested)
  admin.get('/report', answer('report'))
  app.use('/admin', admin)

  const shop = express()
  shop.use('/orders', ...guards('shop'))
  mountResource(shop, { app: 'shop', route: '/orders', name: 'orders', handlers: { list: note('orders') } })
  mountResource(shop, {
    app: 'shop',
    route: '/carts',
    name: 'carts',
    auth: 'optional',
    can: false,
    guards: guards('shop'),
    handlers: { list: note('carts') },
  })
  app.use('/shop', shop)

  const strict = Router()
  strict.use(auth('admin', { secret }), permission('admin', { roles, undeclared: 'deny' }))
  strict.get('/undeclared', answer('undeclared'))
  app.use('/strict', strict)
  app.all('/both/*rest', ...guards('admin'))
  mountRoutes(app, { route: '/both', name: 'both', routes: { one: { route: '/one', handler: note('both') } } })
  mountRoutes(app, { route: '/free', name: 'free', routes: { one: { route: '/one', handler: note('free') } } })
  app.post('/guarded/:id', auth('shop', { secret }), answer('guarded'))
  return app.use(notFound(), errorHandler({ log: () => undefined }))
}

describe('accessMatrix', () => {
  it('prints who may call which route as an aligned table', async () => {
    const matrix = await accessMatrix(application(), CALLERS)
    expect(`\n${String(matrix)}\n`).toBe(`
METHOD  PATH                                 NAME                 admin   editor  shopper  anonymous
GET     /health                              (undeclared)         public  public  public   public
GET     /admin/posts                         admin.posts.list     pass    pass    401      401
POST    /admin/posts                         admin.posts.create   pass    pass    401      401
GET     /admin/posts/popular                 admin.posts.popular  public  public  public   public
GET     /admin/posts/mine                    admin.posts.mine     pass    pass    401      401
GET     /admin/posts/:id                     admin.posts.show     pass    pass    401      401
DELETE  /admin/posts/:id                     admin.posts.delete   pass    pass    401      401
POST    /admin/tenants/:tenant/jobs/:id/run  admin.jobs.run       pass    403     401      401
PUT     /admin/tenants/:tenant/jobs/:id/run  admin.jobs.run       pass    403     401      401
GET     /admin/report                        (undeclared)         pass    pass    401      401
GET     /shop/orders                         shop.orders.list     401     401     pass     401
GET     /shop/carts                          shop.carts.list      pass    pass    pass     pass
GET     /strict/undeclared                   (undeclared)         403     403     401      401
*       /both/*rest                          (undeclared)         pass    pass    401      401
GET     /both/one                            both.one             pass    403     401      401
GET     /free/one                            free.one             public  public  public   public
POST    /guarded/:id                         (undeclared)         401     401     pass     401
`)
    expect(inspect(matrix)).toBe(String(matrix))
    expect(matrix.findings).toEqual([])
  })

  it('runs no handler, no middleware and no body parser', async () => {
    await accessMatrix(application(), CALLERS)
    expect(runs).toEqual([])
  })

  it('agrees with the requests that callers send', async () => {
    const app = application()
    const { rows } = await accessMatrix(app, CALLERS)
    for (const { method, path, access } of rows) {
      for (const [name, caller] of Object.entries(CALLERS)) {
        // A route for anonymous callers refuses the token of another application, which a client would not send.
        if (path === '/shop/carts' && caller?.app === 'admin') continue
        const { status } = await inject(app, {
          method: method === '*' ? 'GET' : method,
          path: path.replace(/[:*]\w+/g, '1'),
          headers: await credentialsOf(caller),
        })
        const seen = [401, 403].includes(status) ? status : 'pass'
        const told = access[name] === 'public' ? 'pass' : access[name]
        expect([method, path, name, told]).toEqual([method, path, name, seen])
      }
    }
  })

  it('reads no store, neither for a resource nor for the caller', async () => {
    const rows = memoryStore<{ id: number; name: string }>({ key: 'id' })
    const store = new Proxy(rows, {
      get(target, key) {
        const value = Reflect.get(target, key) as unknown
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          if (isMounted) runs.push(String(key))
          return Reflect.apply(value, target, args) as unknown
        }
      },
    })
    let isMounted = false
    runs = []
    const app = express()
    app.use(auth('admin', { secret, load: { run: note('load') as never } }), permission('admin', { roles }))
    const Item = z.object({ id: z.number(), name: z.string() })
    const resource = crud(store, { input: Item.omit({ id: true }), output: Item })
    mountResource(app, { app: 'admin', route: '/items', name: 'items', ...resource })
    isMounted = true
    const { rows: access } = await accessMatrix(app, { admin: { id: 1, role: 'admin' }, anonymous: null })
    expect([access.length > 4, access.every((row) => row.access.admin === 'pass'), runs]).toEqual([true, true, []])
  })

  it('signs a caller without an application in to all of them', async () => {
    const { rows } = await accessMatrix(application(), { chief: { id: 1, role: 'admin' } })
    expect(rows.filter(({ access }) => access.chief !== 'pass' && access.chief !== 'public'))
      .toMatchObject([{ path: '/strict/undeclared', access: { chief: 403 } }])
  })

  it('asks `allows`, with the route and its arguments', async () => {
    const asked: unknown[] = []
    const app = express()
    app.use('/a/:tenant', auth('admin', { secret }), permission('admin', {
      allows: async ({ id }, name, { req, route }) => {
        asked.push([name, req.params.tenant, req.originalUrl, route?.path])
        return Promise.resolve(id === 1)
      },
    }))
    mountResource(app, { app: 'admin', route: '/a/:tenant/posts', name: 'posts', handlers: { show: note('show') } })
    expect(String(await accessMatrix(app, { one: { id: 1 }, two: { id: 2 } }))).toContain('pass  403')
    const url = '/a/~sample~/posts/~sample~'
    expect(asked[0]).toEqual(['admin.posts.show', '~sample~', url, '/a/:tenant/posts/:id'])
  })

  it('judges a caller of an application whose `auth` is behind that of another', async () => {
    const app = express().use(auth('admin', { secret }), auth('shop', { secret }))
    app.get('/both', answer('both'))
    const callers = { both: { id: 1 }, admin: { app: 'admin', id: 2 }, shop: { app: 'shop', id: 3 } } as const
    const { rows } = await accessMatrix(app, callers)
    expect(rows[0]?.access).toEqual({ both: 'pass', admin: 401, shop: 401 })
    await expect(accessMatrix(app, { other: { app: 'shopp', id: 1 } as never })).rejects.toMatchObject({
      message: expect.stringContaining('those of `admin`, `shop` do'),
    })
  })

  it('gives `allows` a caller that it may change, anew for each route', async () => {
    const app = express()
    const counts: unknown[] = []
    app.use(auth('admin', { secret }), permission('admin', {
      allows: (caller) => {
        const known = caller as { count?: number }
        known.count = (known.count ?? 0) + 1
        counts.push(known.count)
        return true
      },
    }))
    const handlers = { list: note('list'), show: note('show') }
    mountResource(app, { app: 'admin', route: '/posts', name: 'posts', handlers })
    const { rows, findings } = await accessMatrix(app, { one: { id: 1 } })
    expect([rows.map(({ access }) => access.one), findings, counts]).toEqual([['pass', 'pass'], [], [1, 1]])
  })

  it('takes a caller for anonymous whom `verify` cannot find without its middleware', async () => {
    const app = express()
    const verify = (req: express.Request): { id: number } | null =>
      (req as unknown as { cookies: { sid?: string } }).cookies.sid === 'x' ? { id: 1 } : null
    app.use(auth('admin', { verify }))
    app.get('/report', answer('report'))
    const { rows, findings } = await accessMatrix(app, { one: { id: 1 }, anonymous: null })
    expect([rows[0]?.access, findings]).toEqual([{ one: 'pass', anonymous: 401 }, []])
  })

  it('asks `verify` for a caller without credentials', async () => {
    const app = express().use(auth('admin', { verify: () => ({ id: 'guest' }) }))
    app.get('/report', answer('report'))
    expect((await accessMatrix(app, { anonymous: null })).rows[0]?.access).toEqual({ anonymous: 'pass' })
  })

  it('finds routes whose guards fail, and paths that it cannot ask for', async () => {
    const app = express()
    mountResource(app, { app: 'admin', route: '/posts', name: 'posts', handlers: { list: note('list') } })
    app.get(/^\/x+$/, answer('x'))
    const { rows, findings } = await accessMatrix(app, { anonymous: null })
    expect(rows.map(({ access }) => access.anonymous)).toEqual([500, 'unknown'])
    expect(findings).toEqual([
      'GET /posts for `anonymous`: the guards answer 500 instead of 401 or 403.',
      'GET /^\\/x+$/ for `anonymous`: the path is a regular expression, or no request reaches it.',
    ])
  })

  it.each<[string, unknown, unknown, string]>([
    ['no app', Router(), { a: null }, 'access_app'],
    ['no callers', express(), {}, 'access_callers'],
    ['a list of callers', express(), [{ id: 1 }], 'access_callers'],
    ['a caller without an id', express(), { a: { role: 'admin' } }, 'access_callers'],
    ['an undefined caller', express(), { a: undefined }, 'access_callers'],
    ['a caller of an unknown application', application(), { a: { id: 1, app: 'shopp' } }, 'access_callers'],
  ])('refuses %s', async (_what, app, callers, code) => {
    await expect(accessMatrix(app as Express, callers as AccessCallers)).rejects.toMatchObject({ code })
  })
})

async function credentialsOf(
  caller: { app: string; id: number; role: string } | null,
): Promise<Record<string, string>> {
  if (caller === null) return {}
  const { app, ...claims } = caller
  return { Authorization: `Bearer ${await issueToken(app, claims, { secret })}` }
}
