import express, { Router } from 'express'
import { expect, it } from 'vitest'
import { auth } from 'resourcery'
import { errorHandler } from 'resourcery'
import { isOriginal } from '../../lib/core/express/originals.js'
import { stackOf } from '../../lib/core/express/stack.js'
import { notFound } from 'resourcery'
import { permission } from 'resourcery'
import { mountResource } from 'resourcery'
import { routesOf } from 'resourcery'
import { routeOf } from 'resourcery'
import { served } from '../serve/served.js'
import { clientOf, type Reply } from '../support/http.js'

/** `router` keeps mount paths since 2.3. */
const keepsMountPaths = stackOf(Router().use('/a', Router()))[0]?.rawPath !== undefined

const nested = (): express.Express => {
  const app = express().set('env', 'test')
  const admin = Router()
  app.use(
    '/admin',
    auth('admin', { verify: (req) => (req.get('x-user') === 'ann' ? { id: 1, role: 'reader' } : null) }),
    permission('admin', { roles: { reader: ['admin.items.list'] } }),
    admin,
  )
  mountResource(admin, {
    app: 'admin',
    route: '/items',
    name: 'items',
    handlers: {
      list: (req) => routeOf(req)?.name,
      show: { auth: false, handler: (_req, _res, { id }) => id },
      delete: () => null,
    },
  })
  return app.use(notFound(), errorHandler({ log: () => undefined }))
}

it('nested routes are guarded by their own markers', async () => {
  const { url, server } = await served(nested())
  const client = clientOf(url, server)
  const ann = { headers: { 'x-user': 'ann' } }
  const dataOf = ({ status, body }: Reply): unknown => [status, body.data]
  expect(dataOf(await client.get('/admin/items/7'))).toEqual([200, '7'])
  expect(dataOf(await client.get('/admin/items'))).toEqual([401, null])
  expect(dataOf(await client.get('/admin/items', ann))).toEqual([200, 'admin.items.list'])
  expect(dataOf(await client.send('DELETE', '/admin/items/7', ann))).toEqual([403, null])
  expect(dataOf(await client.send('PUT', '/admin/items', ann))).toEqual([405, null])
  expect(dataOf(await client.get('/admin/items/%zz', ann))).toEqual([400, null])
})

it('nested routes are listed, or refused with the version of `router` that is needed', () => {
  const app = nested()
  if (keepsMountPaths) {
    expect(routesOf(app).map(({ path }) => path)).toEqual(['/admin/items', '/admin/items/:id', '/admin/items/:id'])
  } else {expect(() => routesOf(app)).toThrow(expect
      .objectContaining({ name: 'MisuseError', code: 'router_mount_path' }))}
  const flat = express()
  mountResource(flat, { route: '/items', name: 'items', handlers: { list: () => [] } })
  expect(routesOf(flat).map(({ path }) => path)).toEqual(['/items'])
})

it('the functions of this `router` are recognised if the fast path may skip them', () => {
  const { handle } = Router() as unknown as { readonly handle: unknown }
  expect(isOriginal('router.handle', handle)).toBe(keepsMountPaths)
})

it.each([
  [
    'an app',
    Object.assign(() => undefined, { lazyrouter: () => undefined, route: () => undefined, use: () => undefined }),
  ],
  ['a Router', Object.assign(() => undefined, { process_params: () => undefined, route: () => undefined })],
])('%s of Express 4 is refused with a message', (_what, target) => {
  expect(() =>
    mountResource(target as unknown as express.Express, {
      route: '/items',
      name: 'items',
      handlers: { list: () => [] },
    })
  )
    .toThrow(
      expect.objectContaining({
        code: 'express_unsupported',
        message: expect.stringContaining('`express` 5.1 or later') as string,
      }),
    )
})
