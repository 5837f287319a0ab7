import express, { Router, type Express, type IRouter } from 'express'
import { describe, expect, it } from 'vitest'
import { routeRows, routesTable } from '../../lib/tools/cli/routes-table.js'
import { openapi } from 'resourcery/openapi'
import { auth, errorHandler, resource } from 'resourcery'
import { mountController } from 'resourcery'
import { mountResource } from 'resourcery'
import { mountRoutes } from 'resourcery'
import { permissionsOf, routesOf } from 'resourcery'
import { routeOf } from 'resourcery'
import { serve } from 'resourcery'
import type { AuthMarker } from '../../lib/core/base/types.js'
import { foreign } from '../express/foreign.js'
import { serving } from '../support/http.js'
import { appWith, guardsOf, tokenFor } from '../support/guarded-app.js'

interface Markers {
  readonly app?: string
  readonly auth?: AuthMarker
  readonly can?: boolean
}

function tickets<Target extends IRouter>(target: Target, markers: Markers = {}, name = 'tickets'): Target {
  mountResource(target, { route: `/${name}`, name, ...markers, handlers: { list: () => 1 } })
  return target
}

/** Returns each route of an app as `path: permissions`. */
function lines(app: Express): string[] {
  return routesOf(app).map(({ path, permissions }) => `${path}: ${permissions.join(' ')}`)
}

describe('the permissions of routes without an app', () => {
  it.each<[string, () => Express, string[]]>([
    ['without a permission in front', () => tickets(express()), ['/tickets: ']],
    ['behind auth alone', () => tickets(express().use(guardsOf('desk').slice(0, 1))), ['/tickets: ']],
    ['behind both guards on the app', () => tickets(express().use(guardsOf('desk'))), ['/tickets: desk.tickets.list']],
    ['in front of both guards', () => tickets(express()).use(guardsOf('desk')), ['/tickets: ']],
    ['with both guards on another path', () => tickets(express().use('/orders', guardsOf('desk'))), ['/tickets: ']],
    ['behind both guards on their path, in another case', () => tickets(express().use('/Tickets', guardsOf('desk'))), [
      '/tickets: desk.tickets.list',
    ]],
    [
      'behind both guards on a pattern',
      () => express().use('/:tenant/:area', guardsOf('desk')).use('/:tenant/desk', tickets(Router())),
      ['/:tenant/desk/tickets: desk.tickets.list'],
    ],
    [
      'in nested Routers',
      () => express().use(Router().use(guardsOf('a')).use('/v1', Router().use(guardsOf('b'), tickets(Router())))),
      ['/v1/tickets: a.tickets.list b.tickets.list'],
    ],
    ['behind a Router with both guards in front', () => tickets(express().use(Router().use(guardsOf('desk')))), [
      '/tickets: desk.tickets.list',
    ]],
    [
      'beside a Router with both guards on another path',
      () => tickets(express().use('/v1', Router().use(guardsOf('desk')))),
      ['/tickets: '],
    ],
    ['in a sub-app', () => express().use(guardsOf('desk')).use('/sub', tickets(express())), [
      '/sub/tickets: desk.tickets.list',
    ]],
    ['behind a route for all methods', () => tickets(express().all('/*rest', guardsOf('desk'))), [
      '/tickets: desk.tickets.list',
    ]],
    ['behind a route of their method', () => tickets(express().get('/tickets', guardsOf('desk'))), [
      '/tickets: desk.tickets.list',
    ]],
    ['behind a route of another method', () => tickets(express().post('/tickets', guardsOf('desk'))), ['/tickets: ']],
    [
      'behind the same application twice',
      () => tickets(express().use(guardsOf('desk'), Router().use(guardsOf('desk')))),
      ['/tickets: desk.tickets.list'],
    ],
    ['that need no permission', () => tickets(express().use(guardsOf('desk')), { can: false }), ['/tickets: ']],
    ['that are public', () => tickets(express().use(guardsOf('desk')), { auth: false }), ['/tickets: ']],
    ['with an app of their own', () => tickets(express().use(guardsOf('desk')), { app: 'shop' }), [
      '/tickets: shop.tickets.list',
    ]],
    ['of one Router under two applications', () => {
      const shared = tickets(Router())
      return express().use('/a', guardsOf('a'), shared).use('/b', guardsOf('b'), shared)
    }, ['/a/tickets: a.tickets.list', '/b/tickets: b.tickets.list']],
  ])('are those of the permissions in front: %s', (_where, build, expected) => {
    expect(lines(build())).toEqual(expected)
  })

  it('include those in their own guards and `use`, however they are declared', () => {
    const app = express()
    mountRoutes(app, {
      route: '/reports',
      guards: guardsOf('a'),
      routes: {
        one: { route: '/one', handler: () => 1 },
        two: { route: '/two', use: guardsOf('b'), handler: () => 1 },
      },
    })
    resource(app, '/chain').guards(...guardsOf('a')).list(() => 1)
    mountController(app, '/jobs', { run: () => 1 }, { guards: guardsOf('a'), methods: { run: 'POST' } })
    expect(lines(app)).toEqual([
      '/reports/one: a.reports.one',
      '/reports/two: a.reports.two b.reports.two',
      '/chain: a.chain.list',
      '/jobs/run: a.jobs.run',
      '/jobs/run/:id: a.jobs.run',
    ])
  })

  it('are known to the handler of the matched route', async () => {
    const app = express()
    app.get('/x', (_req, res) => void res.end())
    mountResource(app.use(guardsOf('desk')), {
      route: '/tickets',
      name: 'tickets',
      handlers: { list: (req) => routeOf(req)?.permissions },
    })
    const client = await serving(app)
    expect((await client.get('/tickets', { token: await tokenFor('desk') })).body.data).toEqual(['desk.tickets.list'])
  })

  it('form the tree of each application', () => {
    const shared = tickets(tickets(Router()), {}, 'notes')
    const app = express().use('/a', guardsOf('a'), shared).use('/b', guardsOf('b'), shared)
    const leaves = (name?: string): string[] =>
      permissionsOf(app, name).flatMap(({ children }) => children.map((leaf) => leaf.name))
    expect(leaves('a')).toEqual(['a.tickets.list', 'a.notes.list'])
    expect(leaves('b')).toEqual(['b.tickets.list', 'b.notes.list'])
    expect(leaves()).toEqual([...leaves('a'), ...leaves('b')])
  })

  it('are shown in the table of the command', () => {
    const rows = routeRows(tickets(express().use(guardsOf('a'), guardsOf('b'))))
    expect(rows).toEqual([{
      method: 'GET',
      path: '/tickets',
      name: 'tickets.list',
      permission: 'a.tickets.list, b.tickets.list',
      auth: true,
    }])
    expect(routesTable(rows)).toContain('a.tickets.list, b.tickets.list  required')
  })
})

describe('a document of routes without an app', () => {
  const operationOf = (app: Express): Record<string, unknown> =>
    openapi(app, { title: 'T', version: '1' }).paths['/tickets']?.get as never

  it('requires the credentials and permissions of every application in front', () => {
    const app = tickets(express().use(guardsOf('a'), guardsOf('b')))
    const operation = operationOf(app)
    expect(operation).toMatchObject({
      'security': [{ a: [], b: [] }],
      'x-permission': ['a.tickets.list', 'b.tickets.list'],
    })
    expect(Object.keys(operation.responses as object)).toEqual(expect.arrayContaining(['401', '403']))
    expect(operation.description).toContain('Requires the permissions `a.tickets.list` and `b.tickets.list`.')
    expect(Object.keys(openapi(app, { title: 'T', version: '1' }).components.securitySchemes)).toEqual(['a', 'b'])
  })

  it.each<[string, Markers, object[], string[]]>([
    ['a permission', {}, [{ desk: [] }], ['401', '403']],
    ['a sign-in only', { can: false }, [{ desk: [] }], ['401']],
    ['an optional sign-in', { auth: 'optional', can: false }, [{}, { desk: [] }], ['401']],
    ['nothing', { auth: false }, [], []],
  ])('requires %s according to the markers: %j', (_what, markers, security, statuses) => {
    const operation = operationOf(tickets(express().use(guardsOf('desk')), markers))
    expect(operation.security).toEqual(security)
    expect(Object.keys(operation.responses as object).filter((status) => status === '401' || status === '403')).toEqual(
      statuses,
    )
  })
})

describe('a permission id that two resources share', () => {
  const sharing: readonly [string, () => Express][] = [
    ['one of them with the app', () => tickets(express().use(guardsOf('desk'), tickets(Router(), { app: 'desk' })))],
    [
      'both without an app, on two Routers',
      () => express().use(guardsOf('desk')).use('/a', tickets(Router())).use('/b', tickets(Router())),
    ],
    ['by a dotted name', () => {
      const app = express().use(guardsOf('desk'))
      mountRoutes(app, { route: '/one', name: 'a.b', routes: { c: { route: '', handler: () => 1 } } })
      mountResource(app.use('/v2', tickets(Router())), {
        app: 'desk',
        route: '/two',
        name: 'a.b',
        handlers: {},
        custom: { c: { methods: ['GET'], route: '/c', handler: () => 1 } },
      })
      return app
    }],
  ]

  it.each(sharing)('is refused by every listing of the routes: %s', async (_which, build) => {
    const refused = expect.objectContaining({ name: 'MisuseError', code: 'name_taken' }) as unknown
    for (
      const look of [routesOf, permissionsOf, routeRows, (app: Express) => openapi(app, { title: 'T', version: '1' })]
    ) {
      expect(() => look(build())).toThrow(refused)
    }
    await expect(serve(build(), { port: 0 })).rejects.toMatchObject({ code: 'name_taken' })
  })

  it('causes a logged 500 for both resources only, if the routes were never listed', async () => {
    const calls: string[] = []
    const app = appWith((root) => {
      root.use(guardsOf('desk'))
      for (const place of ['a', 'b']) {
        const router = Router()
        mountResource(router, { route: '/tickets', name: 'tickets', handlers: { list: () => calls.push(place) } })
        root.use(`/${place}`, router)
      }
      tickets(root, {}, 'notes')
    })
    const client = await serving(app)
    const token = await tokenFor('desk')
    const statuses = await Promise.all(
      ['/a/tickets', '/b/tickets', '/notes'].map(async (path) => (await client.get(path, { token })).status),
    )
    expect([statuses, calls]).toEqual([[500, 500, 200], []])
    expect(app.logged).toEqual([
      expect.objectContaining({ code: 'name_taken' }),
      expect.objectContaining({ code: 'name_taken' }),
    ])
    expect((await client.get('/a/tickets')).status).toBe(401)
  })

  it('is detected if the second resource is mounted later', async () => {
    const app = tickets(express().use(guardsOf('desk')))
    const client = await serving(app)
    const token = await tokenFor('desk')
    expect((await client.get('/tickets', { token })).status).toBe(200)
    app.use('/b', tickets(Router()))
    expect((await client.get('/tickets', { token })).status).toBe(500)
  })

  it('is accepted if different applications guard the names, or none', () => {
    expect(() =>
      routesOf(express().use('/a', guardsOf('a'), tickets(Router())).use('/b', guardsOf('b'), tickets(Router())))
    )
      .not
      .toThrow()
    expect(() => routesOf(express().use('/a', tickets(Router())).use('/b', tickets(Router())))).not.toThrow()
  })
})

describe('a path argument named twice', () => {
  const refused = (action: string, name: string): unknown =>
    expect.objectContaining({
      name: 'MisuseError',
      code: 'route_invalid',
      message: expect.stringContaining(
        `\`${action}\` of the resource \`comments\` has the path argument \`${name}\` twice`,
      ) as unknown,
    })

  it('is refused when mounting, with resource, action and argument in the message', () => {
    const comments = { name: 'comments', handlers: { list: () => 1, show: () => 1 } } as const
    expect(() => mountResource(express(), { route: '/tickets/:id/comments', ...comments })).toThrow(
      refused('show', 'id'),
    )
    const one = { route: '/*id', handler: () => 1 }
    expect(() => mountRoutes(express(), { route: '/tickets/:id', name: 'comments', routes: { one } })).toThrow(
      refused('one', 'id'),
    )
    expect(() =>
      mountRoutes(express(), { route: '/*rest/x', name: 'comments', routes: { one: { ...one, route: '/:rest' } } })
    )
      .toThrow(refused('one', 'rest'))
    expect(() => mountController(express(), '/tickets/:id', { run: () => 1 }, { name: 'comments' })).toThrow(
      refused('run', 'id'),
    )
    expect(() => {
      const app = express()
      resource(app, '/tickets/:id/comments').name('comments').show(() => 1)
      routesOf(app)
    }).toThrow(refused('show', 'id'))
  })

  const merged = (prefix: string | string[]): Express => {
    const router = Router({ mergeParams: true })
    mountResource(router, { route: '/comments', name: 'comments', handlers: { list: () => 1, show: () => 1 } })
    return express().use(prefix, router)
  }

  it.each([['/tickets/:id'], [['/tickets', '/tickets/:id']], ['/tickets/*id'], ['/tickets{/:id}'], ['/:"id"']])(
    'is refused by every listing if a Router with mergeParams is mounted at %j',
    async (prefix) => {
      expect(() => routesOf(merged(prefix))).toThrow(refused('show', 'id'))
      expect(() => openapi(merged(prefix), { title: 'T', version: '1' })).toThrow(refused('show', 'id'))
      await expect(serve(merged(prefix), { port: 0 })).rejects.toMatchObject({ code: 'route_invalid' })
    },
  )

  it('is refused through several Routers that merge arguments, not through one that does not', () => {
    const nested = (options: { mergeParams?: boolean }): Express => {
      const inner = Router({ mergeParams: true })
      mountResource(inner, { route: '/comments', name: 'comments', handlers: { show: () => 1 } })
      return express().use('/a/:id', Router(options).use('/b/:other', inner))
    }
    expect(() => routesOf(nested({ mergeParams: true }))).toThrow(refused('show', 'id'))
    expect(() => routesOf(nested({}))).not.toThrow()
  })

  it('causes a logged 500 before the handler if the routes were never listed', async () => {
    let handled = 0
    const app = appWith((root) => {
      const router = Router({ mergeParams: true })
      mountResource(router, {
        route: '/comments',
        name: 'comments',
        handlers: { list: () => 'all', show: () => handled++ },
      })
      root.use('/tickets/:id', router)
    })
    const client = await serving(app)
    expect([
      (await client.get('/tickets/1/comments/2')).status,
      (await client.get('/tickets/1/comments')).status,
      handled,
    ])
      .toEqual([500, 200, 0])
    expect(app.logged).toEqual([refused('show', 'id')])
  })

  it('is accepted with different names, or if the Router does not merge arguments', async () => {
    expect(() => routesOf(merged('/tickets/:ticketId'))).not.toThrow()
    const router = Router()
    mountResource(router, { route: '/comments', name: 'comments', handlers: { show: (_req, _res, { id }) => id } })
    const app = express().use('/tickets/:id', router)
    expect(() => routesOf(app)).not.toThrow()
    expect((await (await serving(app)).get('/tickets/1/comments/2')).body.data).toBe('2')
  })
})

it.each([null, undefined, 5, 'app'])('refuses to list the routes of %s', (value) => {
  expect(() => routesOf(value as never)).toThrow(
    expect.objectContaining({ name: 'MisuseError', code: 'target_invalid' }),
  )
})

describe.each(foreign)('%s', (_what, make) => {
  it('is passed by what reads the routes', async () => {
    const app = express().use(auth('api', { verify: () => ({ id: 1 }) })).use('/old', make())
    mountResource(app, { route: '/u', name: 'u', handlers: { list: () => [] } })
    expect(routesOf(app).map(({ path }) => path)).toEqual(['/u'])
    expect(Object.keys(openapi(app, { title: 'A', version: '1' }).paths)).toEqual(['/u'])
    const server = await serve(app.use(errorHandler()), { port: 0, signals: false })
    expect((await fetch(`${server.url}/old/x`)).status).toBe(200)
    await server.close()
  })
})
