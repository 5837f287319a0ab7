import express, { Router, type Express, type Request, type RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { auth } from 'resourcery'
import { permission } from 'resourcery'
import { mountResource, mountRoutes } from 'resourcery'
import { routeOf } from 'resourcery'
import type { RouteInfo } from 'resourcery'
import { served } from './serve/served.js'
import { appWith } from './support/guarded-app.js'
import { serving } from './support/http.js'

type Way = (app: Express) => Promise<string>

const WAYS: readonly (readonly [string, Way])[] = [
  ['app.listen', async (app) => (await serving((req, res) => void app(req, res))).url],
  ['serve', async (app) => (await served(app)).url],
]

type Pair = [authenticate: RequestHandler, authorise: RequestHandler, policy: RequestHandler]

/** Creates guards and a policy behind them that record the route which each of them sees. */
function recorded(): { guards: Pair; seen: [who: string, route: string | undefined][] } {
  const seen: [string, string | undefined][] = []
  const record = (who: string, route: RouteInfo | undefined): void =>
    void seen.push([who, route && `${route.method} ${route.path} ${route.permissions.join()}`])
  return {
    seen,
    guards: [
      auth('t', {
        verify: (req, { route }) => {
          record('verify', route)
          record('routeOf in verify', routeOf(req))
          return { id: 1 }
        },
      }),
      permission('t', {
        allows: (_caller, id, { req, route }) => {
          record('allows', route)
          return id === routeOf(req)?.permission
        },
      }),
      (req, _res, next) => {
        record('middleware', routeOf(req))
        next()
      },
    ],
  }
}

/** Mounts a resource at `/posts`, with an application and without. */
function posts(target: Router | Express, options: { app?: string; guards?: RequestHandler[] } = {}): void {
  mountResource(target, {
    ...options,
    route: '/posts',
    name: 'posts',
    handlers: { list: () => [], show: (req) => routeOf(req)?.path },
  })
}

type Position = (app: Express, guards: Pair, own?: string) => void
const named = (own: string | undefined): { app?: string } => (own === undefined ? {} : { app: own })

const POSITIONS: readonly (readonly [string, Position])[] = [
  ['on the app', (app, guards, own) => {
    app.use(...guards)
    posts(under(app), named(own))
  }],
  ['on the app with a path', (app, guards, own) => {
    app.use('/api', ...guards)
    posts(under(app), named(own))
  }],
  ['on a Router', (app, guards, own) => posts(under(app).use(...guards), named(own))],
  ['in another Router', (app, guards, own) => {
    app.use('/api', Router().use(...guards))
    posts(under(app), named(own))
  }],
  ['in a function-free list of `use`', (app, guards, own) => {
    const router = Router()
    posts(router, named(own))
    app.use('/api', guards, router)
  }],
  ['on a mounted app', (app, guards, own) => {
    const sub = express().use(...guards)
    app.use('/api', sub)
    posts(sub, named(own))
  }],
  ['in `guards`', (app, guards, own) => posts(under(app), { ...named(own), guards })],
  ['in a route of Express', (app, [authenticate, authorise, policy], own) => {
    app.all('/api/*path', authenticate, authorise)
    app.use(policy)
    posts(under(app), named(own))
  }],
  ['on a route of Express', (app, [authenticate, authorise, policy], own) => {
    app.route('/api/*path').all(authenticate, authorise)
    app.use(policy)
    posts(under(app), named(own))
  }],
]

function under(app: Express): Router {
  const router = Router()
  app.use('/api', router)
  return router
}

const EVERYONE = ['verify', 'routeOf in verify', 'allows', 'middleware']

describe.each(WAYS)('the route ahead, under %s', (_name, way) => {
  describe.each([undefined, 't'])('of a resource with the application %s', (own) => {
    it.each(POSITIONS)('is the same for guards %s', async (_position, mount) => {
      const { guards, seen } = recorded()
      const url = await way(appWith((app) => mount(app, guards, own)))
      expect((await fetch(`${url}/api/posts?page=1`)).status).toBe(200)
      expect(seen).toEqual(EVERYONE.map((who) => [who, 'GET /api/posts t.posts.list']))
      seen.length = 0
      const shown = await fetch(`${url}/api/Posts/7/`)
      expect(await shown.json()).toMatchObject({ data: '/api/posts/:id' })
      expect(seen).toEqual(EVERYONE.map((who) => [who, 'GET /api/posts/:id t.posts.show']))
    })
  })

  it('is undefined where no resource answers', async () => {
    const { guards, seen } = recorded()
    const url = await way(appWith((app) => {
      app.use(...guards)
      posts(app)
      app.get('/me', (req, res) => void res.json(routeOf(req) ?? null))
    }))
    expect(await (await fetch(`${url}/me`)).json()).toBeNull()
    expect((await fetch(`${url}/nowhere`)).status).toBe(404)
    expect((await fetch(`${url}/posts`, { method: 'PUT' })).status).toBe(405)
    expect(new Set(seen.map(([, route]) => route))).toEqual(new Set([undefined]))
  })

  it('is undefined for the handlers of a route of Express behind its guards', async () => {
    const { guards: [authenticate, authorise, policy], seen } = recorded()
    const url = await way(appWith((app) => {
      const whoami: RequestHandler = (req, res) => void res.json(routeOf(req) ?? null)
      app.get('/posts', authenticate, authorise, policy, whoami)
      posts(app)
    }))
    expect(await (await fetch(`${url}/posts`)).json()).toBeNull()
    expect(seen).toEqual(['verify', 'routeOf in verify', 'middleware'].map((who) => [who, undefined]))
  })

  it('has the path by which the request came, of several', async () => {
    const { guards, seen } = recorded()
    const url = await way(appWith((app) => {
      const router = Router()
      posts(router)
      app.use(...guards).use('/one', router).use(['/two', '/:tenant/three'], router)
    }))
    for (const path of ['/one', '/TWO', '/acme/three']) await fetch(`${url}${path}/posts`)
    expect([...new Set(seen.map(([, route]) => route))]).toEqual([
      'GET /one/posts t.posts.list',
      'GET /two/posts t.posts.list',
      'GET /:tenant/three/posts t.posts.list',
    ])
  })

  it.each<[string, string[], string, string]>([
    ['a shorter place first', ['/:a', '/:a/:b'], '/x/y', '/:a/:b'],
    ['a longer place first', ['/:a/:b', '/:a'], '/x', '/:a'],
    ['another literal first', ['/one', '/two'], '/TWO', '/two'],
    ['a wildcard after a literal', ['/one', '/two/*rest'], '/two/x/y/z', '/two/*rest'],
    ['a wildcard for one segment', ['/one', '/two/*rest'], '/two/x', '/two/*rest'],
    ['a wildcard at the root', ['/one/:two/:three', '/*rest'], '/x/y', '/*rest'],
  ])('has the path of the right place where there is %s', async (_case, places, path, expected) => {
    const seen: (string | undefined)[] = []
    const url = await way(appWith((app) => {
      const router = Router()
      const info: RequestHandler = (req, res) => {
        seen.push(routeOf(req)?.path)
        res.json({})
      }
      mountResource(router, { route: '/', name: 'places', auth: false, handlers: { list: info as never } })
      for (const place of places) app.use(place, router)
    }))
    expect((await fetch(url + path)).status).toBe(200)
    expect(seen).toEqual([expected])
  })

  it('has the permissions of guards that a function calls, once they have let the request through', async () => {
    const seen: unknown[] = []
    const [authenticate, authorise] = [auth('t', { verify: () => ({ id: 1 }) }),
      permission('t', { allows: () => true })]
    const url = await way(appWith((app) => {
      const router = Router()
      const record: RequestHandler = (req, _res, next) => {
        const { guardedBy, permissions, permission: first } = routeOf(req) as RouteInfo
        seen.push([guardedBy, permissions, first])
        next()
      }
      const own = (name: string, middleware: RequestHandler[]): void => {
        mountResource(router, { route: `/${name}`, name, use: [record], guards: middleware,
          handlers: { list: () => [] } })
      }
      own('both', [(req, res, next) => authenticate(req, res, () => void authorise(req, res, next))])
      own('one', [(req, res, next) => authenticate(req, res, next)])
      app.use(router)
    }))
    for (const name of ['both', 'one']) await fetch(`${url}/${name}`)
    expect(seen).toEqual([[['t'], ['t.both.list'], 't.both.list'], [['t'], [], undefined]])
  })

  it('is no longer known once middleware has changed the path or the method', async () => {
    const seen: unknown[] = []
    const record = (req: Request): void => void seen.push(routeOf(req)?.method)
    const { guards } = recorded()
    const url = await way(appWith((app) => {
      app.use(...guards, (req, _res, next) => {
        record(req)
        req.url = '/other'
        record(req)
        req.url = '/posts'
        req.method = 'POST'
        record(req)
        next()
      })
      posts(app)
    }))
    await fetch(`${url}/posts`)
    expect(seen).toEqual(['GET', undefined, undefined])
  })

  it('names the route of a refused request to an error handler', async () => {
    const seen: unknown[] = []
    const app = express()
    app.use(auth('t', { verify: () => null }))
    posts(app)
    app.use(((_error, req, res, _next) => {
      seen.push(routeOf(req as Request)?.name)
      res.status(401).end()
    }) as express.ErrorRequestHandler)
    expect((await fetch(`${await way(app)}/posts`)).status).toBe(401)
    expect(seen).toEqual(['posts.list'])
  })

  it('lets `verify` admit callers by the metadata of the route', async () => {
    const url = await way(appWith((app) => {
      app.use(auth('t', {
        verify: (req, { route }) => (route?.meta.key === req.get('x-key') ? { id: 'robot' } : null),
      }))
      mountResource(app, {
        route: '/jobs',
        name: 'jobs',
        app: 't',
        can: false,
        actions: ['list', 'show'],
        handlers: { list: { meta: { key: 'a' }, handler: () => 1 }, show: { meta: { key: 'b' }, handler: () => 1 } },
      } as never)
    }))
    const status = async (path: string, key: string): Promise<number> =>
      (await fetch(url + path, { headers: { 'x-key': key } })).status
    expect([await status('/jobs', 'a'), await status('/jobs', 'b')]).toEqual([200, 401])
    expect(await status('/jobs/1', 'b')).toBe(200)
  })
  it('finds the place of a path of very many slashes in time that grows with their number', async () => {
    const url = await way(appWith((app) => {
      mountRoutes(app, {
        route: '/w',
        name: 'w',
        routes: {
          file: {
            route: '/*path',
            handler: (req) => Array.from({ length: 1500 }, () => routeOf(req)?.path).at(-1),
          },
        },
      })
    }))
    const reply = await fetch(`${url}/w/${'/'.repeat(14_000)}x`)
    expect(await reply.json()).toMatchObject({ code: 200, data: '/w/*path' })
  })
})
