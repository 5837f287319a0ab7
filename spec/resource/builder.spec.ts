import express, { Router, type ErrorRequestHandler, type Express } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { stackOf } from '../../lib/core/express/stack.js'
import { param } from 'resourcery'
import { resource } from 'resourcery'
import { mountResource } from 'resourcery'
import { permissionsOf, routesOf } from 'resourcery'
import { routeOf } from 'resourcery'
import { serving } from '../support/http.js'
import { appWith, guardsOf, tokenFor } from '../support/guarded-app.js'

const echo = (_req: unknown, _res: unknown, args: unknown): unknown => args
const input = z.object({ id: param.int() })
const output = z.object({ id: z.int() })

describe('resource()', () => {
  it('declares the same routes as mountResource', () => {
    const [chained, mounted] = [Router(), Router()]
    resource(chained, '/users')
      .app('admin')
      .name('people')
      .summary('People')
      .description('Who is here')
      .tags('A', 'B')
      .doc('internal')
      .meta('menu', 'system')
      .meta('order', 1)
      .list(echo)
      .show({ input, output, handler: (_req, _res, { id }) => ({ id }) })
      .create(echo)
      .edit(echo)
      .store(echo)
      .delete(echo)
      .deleteMany(echo)
      .get('count', '/count', echo)
      .post('export', '/export', echo)
      .put('rank', '/:id/rank', echo)
      .patch('touch', '/:id/touch', { auth: false, handler: echo })
      .del('purge', '/purge', echo)
    mountResource(mounted, {
      app: 'admin',
      route: '/users',
      name: 'people',
      summary: 'People',
      description: 'Who is here',
      tags: ['A', 'B'],
      doc: ['internal'],
      meta: { menu: 'system', order: 1 },
      handlers: {
        list: echo,
        show: { input, output, handler: (_req, _res, { id }) => ({ id }) },
        create: echo,
        edit: echo,
        store: echo,
        delete: echo,
        deleteMany: echo,
      },
      custom: {
        count: { methods: ['GET'], route: '/count', handler: echo },
        export: { methods: ['POST'], route: '/export', handler: echo },
        rank: { methods: ['PUT'], route: '/:id/rank', handler: echo },
        touch: { methods: ['PATCH'], route: '/:id/touch', auth: false, handler: echo },
        purge: { methods: ['DELETE'], route: '/purge', handler: echo },
      },
    })
    expect(routesOf(chained)).toEqual(routesOf(mounted))
    expect(routesOf(chained)).toHaveLength(12)
    expect(permissionsOf(chained)).toEqual(permissionsOf(mounted))
  })

  it('takes its name from its path by default', () => {
    const router = Router()
    resource(router, '/shop/orders').list(echo)
    expect(routesOf(router).map(({ name }) => name)).toEqual(['shop.orders.list'])
  })

  it('applies a setter to actions declared before it', () => {
    const router = Router()
    resource(router, '/users').list(echo).app('admin').skipPermission().tags('late')
    expect(routesOf(router)).toMatchObject([{
      name: 'admin.users.list',
      permission: undefined,
      auth: true,
      can: false,
      tags: ['late'],
    }])
  })

  it('marks routes as public, optional or undocumented', () => {
    const router = Router()
    resource(router, '/a').app('x').skipAuth().doc(false).list(echo)
    resource(router, '/b').app('x').optionalAuth().doc('one', 'two').list(echo)
    expect(routesOf(router)).toMatchObject([{ auth: false, can: false, doc: false }, {
      auth: 'optional',
      can: true,
      doc: ['one', 'two'],
    }])
  })
})

describe('the position of the routes of a builder', () => {
  it('is where resource() was called, before anything mounted later', async () => {
    const app = express()
    const users = resource(app, '/things')
    app.get('/things', (_req, res) => res.send('undeclared'))
    users.list(() => 'ours')
    const client = await serving(app)
    expect((await client.get('/things')).body).toMatchObject({ data: 'ours' })
    expect((await client.get('/things')).body).toMatchObject({ data: 'ours' })
  })

  it('is kept for several builders on one router', async () => {
    const router = Router()
    const first = resource(router, '/:any').name('any')
    const second = resource(router, '/second')
    second.list(() => 'second')
    first.list((_req, _res, { any }) => `first ${any}`)
    const client = await serving(express().use('/in', router))
    expect((await client.get('/in/second')).body).toMatchObject({ data: 'first second' })
    expect(routesOf(router).map(({ path }) => path)).toEqual(['/:any', '/second'])
  })

  const pathsOf = (target: object): unknown[] => stackOf(target).map(({ route, name }) => route?.path ?? name)

  it('has only their plain routes, at once, in the order of their specificity', () => {
    const router = Router()
    const users = resource(router, '/users')
    expect(pathsOf(router)).toEqual([])
    users.get('all', '/*path', echo)
    users.show(echo).list(echo).edit(echo)
    router.use(function behind(_req, _res, next) {
      next()
    })
    users.get('me', '/me', echo).del('purge', '/me', echo).create(echo)
    const expected = ['/users', '/users/me', '/users/:id', '/users/*path', 'behind']
    expect(pathsOf(router)).toEqual(expected)
    routesOf(router)
    expect(pathsOf(router)).toEqual(expected)
    const [list] = stackOf(router)
    expect(Object.keys(list?.route?.methods ?? {})).toEqual(['get', 'post'])
  })

  it('is in front of what follows, between other builders and routes, in any order of their calls', () => {
    const app = express()
    const [one, two] = [resource(app, '/one'), resource(app, '/two')]
    mountResource(app, { route: '/mounted', name: 'mounted', handlers: { list: echo } })
    const three = resource(app, '/three')
    const four = resource(app, '/four')
    four.list(echo)
    app.use(function last(_req, _res, next) {
      next()
    })
    three.list(echo)
    two.show(echo)
    one.list(echo)
    two.list(echo)
    three.show(echo)
    expect(pathsOf(app)).toEqual([
      '/one',
      '/two',
      '/two/:id',
      '/mounted',
      '/three',
      '/three/:id',
      '/four',
      'last',
    ])
  })

  it('is the end of the stack if the layer in front of it was removed', () => {
    const router = Router()
    router.use(function removed(_req, _res, next) {
      next()
    })
    const users = resource(router, '/users')
    router.use(function guard(_req, _res, next) {
      next()
    })
    ;(stackOf(router) as unknown[]).shift()
    users.list(echo)
    expect(pathsOf(router)).toEqual(['guard', '/users'])
  })

  it('concerns its own requests only while the declaration is invalid', async () => {
    const app = express().set('env', 'test')
    const users = resource(app, '/users').app('no app').list(echo)
    app.get('/other', (_req, res) => void res.json('other'))
    const client = await serving((req, res) => void app(req, res))
    expect([(await client.get('/users')).status, (await client.get('/other')).text]).toEqual([500, '"other"'])
    users.app('admin').skipAuth()
    expect((await client.get('/users')).status).toBe(200)
    expect(() => users.tags('late')).toThrow(expect.objectContaining({ code: 'resource_sealed' }))
  })

  it('respects the settings and parameters of its router', async () => {
    const router = Router({ caseSensitive: true, mergeParams: true })
    resource(router, '/users').show((_req, _res, args) => args)
    const seen: string[] = []
    router.param('id', (_req, _res, next, id: string) => {
      seen.push(id)
      next()
    })
    const client = await serving(express().use('/of/:company', router))
    expect((await client.get('/of/a/users/7')).body).toMatchObject({ data: { id: '7', company: 'a' } })
    expect((await client.get('/of/a/Users/7')).status).toBe(404)
    expect(seen).toEqual(['7'])
  })

  it('is visible to the look-ahead of guards in front', async () => {
    const app = appWith((root) => {
      const inner = Router()
      root.use('/admin', ...guardsOf('admin'), inner)
      resource(inner, '/users').app('admin').list(() => ['Ann']).get('health', '/health', {
        auth: false,
        handler: () => 'well',
      })
    })
    const client = await serving(app)
    expect((await client.get('/admin/users/health')).body).toMatchObject({ data: 'well' })
    expect((await client.get('/admin/users')).status).toBe(401)
    expect((await client.get('/admin/users', { token: await tokenFor('admin', ['admin.users.list']) })).body)
      .toMatchObject({ data: ['Ann'] })
  })

  it('is included in a 405, and known to the middleware of the route', async () => {
    const names: (string | undefined)[] = []
    const app = appWith((root) => {
      resource(root, '/users').list(echo).use((req, _res, next) => {
        names.push(routeOf(req)?.name)
        next()
      })
    })
    const client = await serving(app)
    const refused = await client.post('/users', {})
    expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'GET, HEAD'])
    await client.get('/users')
    expect(names).toEqual(['users.list'])
  })
})

describe('a sealed builder', () => {
  const sealed = { code: 'resource_sealed', message: expect.stringContaining('`users`') as string }

  it('refuses changes after its routes were listed', () => {
    const router = Router()
    const users = resource(router, '/users').list(echo)
    routesOf(router)
    expect(() => users.tags('late')).toThrow(expect.objectContaining(sealed))
    expect(() => users.show(echo)).toThrow(expect.objectContaining(sealed))
    expect(() => users.get('count', '/count', echo)).toThrow(expect.objectContaining(sealed))
  })

  it('refuses changes after the first request', async () => {
    const app = express()
    const users = resource(app, '/users').list(echo)
    users.tags('in time')
    await (await serving(app)).get('/elsewhere')
    expect(() => users.app('late')).toThrow(expect.objectContaining(sealed))
  })

  it('adds its routes before a first request passes with an error', async () => {
    const app = express()
    const order: string[] = []
    app.use((_req, _res, next) => next(new Error('refused')))
    resource(app, '/users').list(echo)
    app.use(((_error: Error, _req, _res, next) => next()) as ErrorRequestHandler)
    app.use((_req, _res, next) => {
      order.push('middleware')
      // Routes that were added now would move the layers on which the request is.
      routesOf(app)
      next()
    })
    app.use((_req, res) => void res.json(order))
    const client = await serving((req, res) => void app(req, res))
    expect((await client.get('/users')).body).toEqual(['middleware'])
  })

  it('is not sealed by listing other routers', () => {
    const users = resource(Router(), '/users')
    routesOf(Router())
    expect(() => users.list(echo)).not.toThrow()
  })
})

describe('invalid declarations with a builder', () => {
  const router = (): Express => express()
  const codeOf = (act: () => unknown): unknown => {
    try {
      act()
    } catch (error) {
      return (error as { code?: unknown }).code
    }
  }

  it('throw immediately if one action is invalid', () => {
    const users = resource(router(), '/users').list(echo)
    expect(codeOf(() => users.list(echo))).toBe('name_taken')
    expect(codeOf(() => users.get('list', '/list', echo))).toBe('name_taken')
    expect(codeOf(() => users.get('no name', '/x', echo))).toBe('action_invalid')
    expect(codeOf(() => users.get('open', '/{id}', echo))).toBe('route_invalid')
    expect(codeOf(() => users.show({ handler: undefined as never }))).toBe('handler_missing')
    expect(codeOf(() => resource(router(), 'users'))).toBe('route_invalid')
  })

  it('throw immediately if a path names an argument twice', () => {
    expect(codeOf(() => resource(router(), '/tickets/:id').list(echo).show(echo))).toBe('route_invalid')
    expect(codeOf(() => resource(router(), '/tickets/:id').post('close', '/lines/:id/close', echo))).toBe(
      'route_invalid',
    )
  })

  it('throw when the builder is sealed, and serve nothing', async () => {
    const broken = express()
    resource(broken, '/users').app('no app').list(echo)
    expect(codeOf(() => routesOf(broken))).toBe('app_invalid')
    expect(codeOf(() => routesOf(broken))).toBe('app_invalid')
    expect((await (await serving(broken)).get('/users')).status).toBe(500)
  })
})
