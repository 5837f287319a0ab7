import express, { Router } from 'express'
import { mountResource, mountRoutes, param, routeManifest } from 'resourcery'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

function shops() {
  const app = express()
  const [admin, shop] = [Router(), Router()]
  mountResource(admin, { app: 'admin', route: '/users', name: 'users', handlers: { list: () => [], show: () => null } })
  mountResource(shop, { app: 'shop', route: '/orders', name: 'orders', handlers: { list: () => [] } })
  app.use('/admin', admin)
  app.use('/shops/:shop', shop)
  app.get('/undeclared', (_req, res) => res.end())
  return { app, shop }
}

describe('routeManifest', () => {
  it('lists names, methods and full paths only', () => {
    const manifest = routeManifest(shops().app)
    expect(manifest).toEqual([
      { name: 'users.list', method: 'GET', path: '/admin/users' },
      { name: 'users.show', method: 'GET', path: '/admin/users/:id' },
      { name: 'orders.list', method: 'GET', path: '/shops/:shop/orders' },
    ])
    expect(JSON.parse(JSON.stringify(manifest))).toEqual(manifest)
  })

  it('lists the routes of one application', () => {
    expect(routeManifest(shops().app, { app: 'shop' }).map(({ name }) => name)).toEqual(['orders.list'])
  })

  it('lists the query names of a route that reads a body too, for any schema', () => {
    const app = express()
    const dry = z.object({ dry: param.bool() })
    const query = z.union([dry, z.intersection(z.object({ lang: z.string() }), dry.transform((value) => value))])
    mountRoutes(app, {
      route: '/jobs',
      routes: {
        start: { methods: ['POST'], route: '', query, handler: () => null },
        read: { route: '/read', query: dry, handler: () => null },
      },
    })
    expect(routeManifest(app)).toEqual([{ name: 'jobs.start', method: 'POST', path: '/jobs?dry,lang' }, {
      name: 'jobs.read',
      method: 'GET',
      path: '/jobs/read',
    }])
  })

  it('lists an action with several methods by GET, and a router mounted twice once', () => {
    const app = express()
    const router = Router()
    mountRoutes(router, {
      route: '/exports',
      routes: { csv: { methods: ['POST', 'GET'], route: '/csv', handler: () => null } },
    })
    app.use('/v2', router)
    app.use('/v1', router)
    expect(routeManifest(app)).toEqual([{ name: 'exports.csv', method: 'GET', path: '/v2/exports/csv' }])
  })

  it('refuses an ambiguous name, an unknown application and an unknown option', () => {
    const { app, shop } = shops()
    mountResource(shop, { app: 'shop', route: '/users', name: 'users', handlers: { list: () => [] } })
    expect(() => routeManifest(app)).toThrow(
      expect.objectContaining({
        code: 'manifest_ambiguous',
        message: expect.stringContaining('`admin` and `shop`') as string,
      }),
    )
    expect(() => routeManifest(app, { app: 'shpo' })).toThrow(
      expect.objectContaining({ code: 'manifest_app', message: expect.stringContaining('admin, shop') as string }),
    )
    expect(() => routeManifest(app, { apps: 'shop' } as never)).toThrow(
      expect.objectContaining({ code: 'option_unknown' }),
    )
  })
})
