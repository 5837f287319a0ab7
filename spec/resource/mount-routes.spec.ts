import { Router } from 'express'
import { describe, expect, it } from 'vitest'
import { fromHandler } from 'resourcery'
import { mountRoutes } from 'resourcery'
import { routesOf } from 'resourcery'
import { send } from 'resourcery'
import { serving } from '../support/http.js'
import { appWith, guardsOf, tokenFor } from '../support/guarded-app.js'

describe('mountRoutes', () => {
  it('names routes by application, group and key, with GET as default method', () => {
    const router = Router()
    mountRoutes(router, {
      app: 'admin',
      route: '/reports',
      name: 'reports',
      routes: {
        root: { route: '', handler: () => 1 },
        day: { route: '/:day', methods: ['GET', 'POST'], handler: () => 1 },
        drop: { route: '/drop', methods: 'DELETE', handler: () => 1 },
      },
    })
    expect(routesOf(router).map(({ method, path, name }) => `${method} ${path} ${name}`)).toEqual([
      'GET /reports admin.reports.root',
      'DELETE /reports/drop admin.reports.drop',
      'GET /reports/:day admin.reports.day',
      'POST /reports/:day admin.reports.day',
    ])
  })

  it('takes the name of the group from its route, and none from the root', () => {
    const router = Router()
    mountRoutes(router, {
      app: 'admin',
      route: '/reports/:year/daily',
      routes: { all: { route: '', handler: () => 1 } },
    })
    mountRoutes(router, { app: 'admin', route: '', routes: { ping: { route: '/ping', handler: () => 1 } } })
    expect(routesOf(router).map(({ name, summary }) => [name, summary])).toEqual([[
      'admin.reports.daily.all',
      'Daily: all',
    ], ['admin.ping', 'Ping']])
  })

  it('guards its routes like a resource', async () => {
    const app = appWith((root) =>
      mountRoutes(root, {
        app: 'admin',
        route: '/reports',
        guards: guardsOf('admin'),
        routes: { day: { route: '/day', handler: () => 'today' } },
      })
    )
    const client = await serving(app)
    expect((await client.get('/reports/day')).status).toBe(401)
    expect((await client.get('/reports/day', { token: await tokenFor('admin', ['admin.reports.night']) })).status).toBe(
      403,
    )
    expect((await client.get('/reports/day', { token: await tokenFor('admin', ['admin.reports.*']) })).body.data).toBe(
      'today',
    )
  })

  it('accepts a plain Express handler through fromHandler', async () => {
    const app = appWith((root) =>
      mountRoutes(root, {
        route: '',
        routes: { old: { route: '/old', handler: fromHandler((_req, res) => send(res, 'old')) } },
      })
    )
    expect((await (await serving(app)).get('/old')).body.message).toBe('old')
  })

  it.each<[string, unknown]>([
    ['options_shape', undefined],
    ['route_invalid', { routes: {} }],
    ['options_shape', { route: '/reports' }],
    ['options_shape', { route: '/reports', routes: { day: undefined } }],
    ['handler_missing', { route: '/reports', routes: {} }],
  ])('throws %s for %o', (code, group) => {
    expect(() => mountRoutes(Router(), group as never)).toThrow(expect.objectContaining({ name: 'MisuseError', code }))
  })
})
