import express, { Router, type Express } from 'express'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mountResource, param } from 'resourcery'
import { permissionsOf, routesOf } from 'resourcery'
import { routeOf } from 'resourcery'
import { inject } from 'resourcery/testing'
import { appWith } from '../support/guarded-app.js'
import { serving } from '../support/http.js'

const echo = (_req: unknown, _res: unknown, args: unknown): unknown => args

describe('a resource on a nested Router', () => {
  it('is passed to middleware of the route by routeOf, with the full path', async () => {
    const users = Router()
    mountResource(users, {
      route: '/users',
      name: 'users',
      meta: { menu: 'm' },
      use: (req, _res, next) => next(),
      handlers: { show: (req) => routeOf(req)?.path },
    })
    const app = appWith((root) => {
      root.use((req, _res, next) => next(routeOf(req) === undefined ? undefined : new Error('too early')))
      root.use('/v1/:tenant', users)
      root.use('/other', users)
    })
    const client = await serving(app)
    expect((await client.get('/v1/acme/users/1')).body.data).toBe('/v1/:tenant/users/:id')
    expect((await client.get('/OTHER/users/1')).body.data).toBe('/other/users/:id')
  })

  it('is listed through nested routers and sub-apps, under every prefix', () => {
    const inner = Router()
    mountResource(inner, { app: 'admin', route: '/', name: 'root', handlers: { list: echo, show: echo } })
    const sub = express()
    mountResource(sub, { app: 'admin', route: '/sub', name: 'sub', handlers: { list: echo } })
    const app = express()
    app.use('/a', Router().use('/b', inner))
    app.use(['/x', '/y'], inner)
    app.use('/s', sub)
    expect(routesOf(app).map(({ path }) => path)).toEqual([
      '/a/b',
      '/a/b/:id',
      '/x',
      '/x/:id',
      '/y',
      '/y/:id',
      '/s/sub',
    ])
    expect(permissionsOf(app, 'admin').map(({ name }) => name)).toEqual(['root', 'sub'])
    expect(permissionsOf(app, 'shop')).toEqual([])
  })
})

describe('a resource on a Router in two apps', () => {
  it('is refused in the one whose path has an argument of the same name, and served in the other', async () => {
    const shared = Router({ mergeParams: true })
    mountResource(shared, { route: '/notes', name: 'notes',
      handlers: { show: { input: z.object({ id: param.int() }), handler: (_req, _res, { id }) => id } } })
    const [sound, faulty] = ['/desk', '/desks/:id'].map((path) => appWith((root) => root.use(path, shared)))
    for (const [app, path, status] of [[sound, '/desk/notes/1', 200], [faulty, '/desks/2/notes/1', 500], [sound,
      '/desk/notes/1', 200]] as const)
      expect((await inject(app as Express, { method: 'GET', path })).status).toBe(status)
  })
})
