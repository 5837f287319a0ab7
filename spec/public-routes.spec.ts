import express, { Router, type Express, type RequestHandler } from 'express'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { permission } from 'resourcery'
import { auth } from 'resourcery'
import { mountRoutes } from 'resourcery'
import type { AuthMarker } from '../lib/core/base/types.js'
import { appWith, SECRET, tokenFor } from './support/guarded-app.js'
import { serving } from './support/http.js'
import { served } from './serve/served.js'

type Way = (app: Express) => Promise<string>

/** The ways to serve an app, each with the URL of its server. */
const WAYS: readonly (readonly [string, Way])[] = [
  ['app.listen', async (app) => (await serving((req, res) => void app(req, res))).url],
  ['serve', async (app) => (await served(app)).url],
  ['serve without the fast path', async (app) => (await served(app, { fast: false })).url],
]

const secret: RequestHandler = (_req, res) => void res.json('secret')
const through: RequestHandler = (_req, _res, next) => next()
const failing: express.ErrorRequestHandler = (error, _req, _res, next) => next(error)
const wrapped = (router: Router): RequestHandler => (req, res, next) => router(req, res, next)

interface Public {
  readonly path?: string
  readonly marker?: AuthMarker
  readonly on?: (app: Express) => Router | Express
}

/** Creates an app with guards, what `mount` adds behind them, and a route for anonymous callers. */
function opened(mount: (app: Express) => unknown, { path = '/*path', marker = false, on }: Public): Express {
  return appWith((app) => {
    app.use(auth('t', { secret: SECRET }), permission('t', { undeclared: 'deny' }))
    mount(app)
    open(on?.(app) ?? app, path, marker)
  })
}

function open(target: Router | Express, path: string, marker: AuthMarker = false): void {
  mountRoutes(target, {
    app: 't',
    route: '',
    name: `open${path.replace(/\W/g, '')}`,
    routes: {
      one: { methods: ['GET', 'POST'], route: path, auth: marker, can: false, handler: () => 'public' },
    },
  })
}

const under = (prefix: string | RegExp | string[]) => (app: Express): Router => {
  const router = Router()
  app.use(prefix, router)
  return router
}

const COUNTED: readonly (readonly [string, (app: Express) => unknown, string, Public])[] = [
  ['a handler with a path', (app) => app.use('/metrics', secret), '/metrics', {}],
  ['a handler below its path', (app) => app.use('/metrics', secret), '/metrics/all', {}],
  ['a handler in another letter case', (app) => app.use('/metrics', secret), '/METRICS', {}],
  ['a handler in front of a path argument', (app) => app.use('/metrics', secret), '/metrics', { path: '/:page' }],
  ['a Router in a function', (app) => app.use('/admin', wrapped(Router().get('/x', secret))), '/admin/x', {}],
  ['a function in a Router', (app) => app.use('/ops', Router().use('/metrics', secret)), '/ops/metrics', {}],
  ['a function without a path in a Router', (app) => app.use('/ops', Router().use(secret)), '/ops/metrics', {}],
  ['a function in a Router in a Router', (app) => app.use(Router().use('/ops', Router().use(secret))), '/ops', {}],
  ['a function in an app', (app) => app.use('/ops', express().use(secret)), '/ops/metrics', {}],
  ['a function at several paths', (app) => app.use(['/stats', '/metrics'], secret), '/metrics', {}],
  ['a function at a regular expression', (app) => app.use(/^\/metrics/, secret), '/metrics', {}],
  ['a regular expression and a literal path', (app) => app.use(/^\/open/, secret), '/open', { path: '/open' }],
  ['a function at a path argument', (app) => app.use('/:any', secret), '/metrics', {}],
  ['a path argument and a literal path', (app) => app.use('/:any', secret), '/login', { path: '/login' }],
  ['a wildcard', (app) => app.use('/{*any}', secret), '/login', { path: '/login' }],
  ['a longer path', (app) => app.use('/login/x', secret), '/login/x', { path: '/login/:x' }],
  ['a part of a segment', (app) => app.use('/log', secret), '/log', { path: '/:page' }],
  ['another Router than that of the route', (app) => app.use('/a', secret), '/a/b', { on: under('/:x'), path: '/b' }],
  ['an optional route', (app) => app.use('/metrics', secret), '/metrics', { marker: 'optional' }],
  ['an undeclared route', (app) => app.get('/metrics', secret), '/metrics', {}],
  ['an undeclared route in a Router', (app) => app.use('/ops', Router().all('/x', secret)), '/ops/x', {}],
]

const UNCOUNTED: readonly (readonly [string, (app: Express) => unknown, string, Public])[] = [
  ['a prefix of its path', (app) => app.use('/admin', through), '/admin/login', { path: '/admin/login' }],
  ['its own path', (app) => app.use('/login', through), '/login', { path: '/login' }],
  ['a prefix in another letter case', (app) => app.use('/Admin', through), '/admin/login', { path: '/admin/login' }],
  ['a prefix with a slash', (app) => app.use('/admin/', through), '/admin/login', { path: '/admin/login' }],
  [
    'a prefix of a Router',
    (app) => app.use('/admin', through),
    '/admin/login',
    { on: under('/admin'), path: '/login' },
  ],
  [
    'a prefix in the Router of the route',
    (app) => app,
    '/api/v1/login',
    {
      on: (app) => under('/api')(app).use('/v1', through),
      path: '/v1/login',
    },
  ],
  [
    'the Router of the route',
    (app) => app,
    '/admin/login',
    { on: (app) => under('/admin')(app).use(through), path: '/login' },
  ],
  [
    'the Router of the route at a regular expression',
    (app) => app,
    '/admin/login',
    {
      on: (app) => under(/^\/admin/)(app).use(through),
      path: '/login',
    },
  ],
  [
    'one of several prefixes',
    (app) => app.use(['/shop', '/admin'], through),
    '/admin/login',
    { path: '/admin/login' },
  ],
  [
    'one of several prefixes of a Router',
    (app) => app.use('/shop', through),
    '/shop/login',
    { on: under(['/admin', '/shop']), path: '/login' },
  ],
  [
    'the same path argument',
    (app) => app.use('/:tenant', through),
    '/acme/login',
    { on: under('/:tenant'), path: '/login' },
  ],
  ['another path', (app) => app.use('/metrics', secret), '/dashboard', {}],
  ['no path', (app) => app.use(through, express.json(), wrapped(Router())), '/dashboard', {}],
  ['no path, inside a Router without one', (app) => app.use(Router().use(through)), '/dashboard', {}],
  ['a path, with guards', (app) => app.use('/admin', auth('t', { secret: SECRET }), permission('t')), '/admin/x', {}],
  [
    'a path, with an error handler',
    (app) => app.use('/admin', failing),
    '/admin/x',
    {},
  ],
  ['a path, with a Router of other routes', (app) => app.use('/admin', Router().get('/x', secret)), '/admin/y', {}],
  ['a path, with resources', (app) => under('/admin')(app), '/admin/x', {}],
]

// Functions without a path cause warnings, which `resource/start-checks.spec.ts` tests.
beforeAll(() => {
  const spy = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  return () => spy.mockRestore()
})

describe.each(WAYS)('under %s a public route', (_name, way) => {
  it.each(COUNTED)('does not open %s in front of it', async (_case, mount, path, open) => {
    const url = await way(opened(mount, open))
    const anonymous = await fetch(url + path)
    expect([anonymous.status, await anonymous.json()]).toMatchObject([401, { meta: { reason: 'token_missing' } }])
    const signedIn = await fetch(url + path, { headers: { authorization: `Bearer ${await tokenFor('t')}` } })
    expect(signedIn.status).toBe(403)
  })

  it.each(UNCOUNTED)('stays public behind a function with %s', async (_case, mount, path, open) => {
    const url = await way(opened(mount, open))
    for (const method of ['GET', 'HEAD', 'POST']) {
      const reply = await fetch(url + path, { method })
      expect([method, reply.status]).toEqual([method, 200])
    }
  })

  it('stays public behind guards of a Router, where a function of the Router has no path', async () => {
    const url = await way(appWith((app) => {
      const admin = Router().use(auth('t', { secret: SECRET }), permission('t'), through)
      admin.use('/metrics', secret)
      open(admin, '/login')
      open(admin.use('/pages', through), '/pages/*path')
      app.use('/admin', admin)
      open(app, '/admin/*path')
    }))
    const statuses = await Promise.all(['/admin/login', '/admin/pages/a', '/admin/metrics', '/admin/other']
      .map(async (path) => (await fetch(url + path)).status))
    expect(statuses).toEqual([200, 200, 401, 200])
  })

  it('does not open a later route with the same `auth` among its handlers, whatever skips the first place', async () => {
    const skip: RequestHandler = ({ query }, _res, next) => next(query.skip === undefined ? undefined : 'router')
    const url = await way(appWith((app) => {
      const guard = auth('t', { secret: SECRET })
      const first = Router().use(skip, guard)
      open(first, '/pages/:page')
      app.use(first)
      app.get('/pages/index', guard, secret)
      app.get('/*path', guard, through, guard, secret)
    }))
    for (const page of ['index', 'other']) {
      const requests = [`/pages/${page}`, `/pages/${page}?skip`].map(async (path) => (await fetch(url + path)).status)
      expect([page, ...await Promise.all(requests)]).toEqual([page, 200, 401])
    }
  })

  it('opens what express.static serves without a path, as a single-page application needs', async () => {
    const url = await way(opened((app) => app.use(express.static('docs')), {}))
    expect((await fetch(`${url}/README.md`)).status).toBe(200)
    expect(await (await fetch(`${url}/anything`)).json()).toMatchObject({ data: 'public' })
  })

  it('stays public on the server of an app that another app mounts too', async () => {
    const app = opened((inner) => inner.use('/metrics', secret), { path: '/login' })
    const outer = appWith((around) => void around.use('/inner', express().use('/app', app)))
    const [own, whole] = [await way(app), await way(outer)]
    const urls = [`${own}/login`, `${own}/metrics`, `${own}/other`, `${whole}/inner/app/login`, `${whole}/login`]
    const statuses = await Promise.all(urls.map(async (url) => (await fetch(url)).status))
    expect(statuses).toEqual([200, 401, 401, 200, 404])
  })
})
