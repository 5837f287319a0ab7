import express, { Router, type Express, type IRoute, type RequestHandler } from 'express'
import { describe, expect, it, vi } from 'vitest'
import type { Layer } from '../../lib/core/express/stack.js'
import { openapi, openapiRouter } from 'resourcery/openapi'
import { resource } from 'resourcery'
import { mountResource } from 'resourcery'
import { permissionsOf, routesOf } from 'resourcery'
import * as registry from '../../lib/core/routing/registry.js'
import { entryOf } from '../auth/marked-routes.js'
import { guardsOf } from '../support/guarded-app.js'
import { serving, type Client } from '../support/http.js'

// A spy of the whole module would keep the first value of `registrations`.
vi.mock('../../lib/core/routing/registry.js', async (original) => {
  const real = await original<typeof registry>()
  return Object.defineProperties({}, {
    ...Object.getOwnPropertyDescriptors({ ...real, listBelow: vi.fn(real.listBelow) }),
    registrations: { enumerable: true, get: () => real.registrations },
  })
})

/** Returns how often a function has the routes of an app listed. */
async function listingsDuring(run: () => unknown): Promise<number> {
  const before = vi.mocked(registry.listBelow).mock.calls.length
  await run()
  return vi.mocked(registry.listBelow).mock.calls.length - before
}

interface Parts {
  readonly app: Express
  readonly outer: Router
  readonly inner: Router
  readonly sub: Express
  /** A Router with a resource that is not mounted. */
  readonly spare: Router
}

/** An app with resources on itself, in nested Routers and in a sub-app. */
function appWithParts(): Parts {
  const [app, outer, inner, sub, spare] = [express(), Router(), Router(), express(), Router()]
  app.use(openapiRouter(app, { title: 'API', version: '1.0.0', page: false }))
  app.use('/outer', outer.use('/inner', inner)).use('/sub', sub)
  add(app, 'users')
  add(inner, 'tickets')
  add(sub, 'orders')
  add(spare, 'late')
  return { app, outer, inner, sub, spare }
}

function add(target: Router | Express, name: string): void {
  mountResource(target, { route: `/${name}`, name, handlers: { list: () => [] } })
}

const PATHS = ['/outer/inner/tickets', '/sub/orders', '/users']

/** Returns the path of each operation of the served document. */
async function operationsAt(client: Client): Promise<string[]> {
  const { status, body } = await client.get('/openapi.json')
  expect(status).toBe(200)
  const { paths } = body as unknown as { paths: Record<string, object> }
  return Object.entries(paths).flatMap(([path, operations]) => Object.keys(operations).map(() => path))
}

const pass: RequestHandler = (_req, _res, next) => next()

function stackOf(target: Router | Express): Layer[] {
  return ('router' in target ? target.router : target).stack as unknown as Layer[]
}

function layerOf(target: Router | Express, name: string): Layer {
  const found = stackOf(target).find(({ route }) => route?.path === `/${name}`)
  if (found === undefined) throw new Error(`There is no route \`/${name}\`.`)
  return found
}

function remove(target: Router | Express, layer: Layer): void {
  stackOf(target).splice(stackOf(target).indexOf(layer), 1)
}

describe('the routes of an unchanged app', () => {
  it('are listed for its first document only', async () => {
    const client = await serving(appWithParts().app)
    expect(await listingsDuring(() => client.get('/openapi.json'))).toBeGreaterThan(0)
    const again = async (): Promise<void> => {
      expect(await operationsAt(client)).toEqual(PATHS)
      expect(await operationsAt(client)).toEqual(PATHS)
    }
    expect(await listingsDuring(again)).toBe(0)
  })

  it('are listed once for all documents', async () => {
    const app = express()
    app.use(openapiRouter(app, { title: 'API', version: '1.0.0', page: false, domains: ['one', 'two'] }))
    add(app, 'users')
    const client = await serving(app)
    const all = async (): Promise<void> => {
      for (const path of ['/openapi.json', '/openapi/one.json', '/openapi/two.json']) {
        expect((await client.get(path)).status).toBe(200)
      }
    }
    expect(await listingsDuring(all)).toBe(1)
  })

  it('are listed once for routesOf and permissionsOf', async () => {
    const { app } = appWithParts()
    expect(await listingsDuring(() => [routesOf(app), routesOf(app), permissionsOf(app)])).toBe(1)
  })

  it('are not listed again for middleware that runs', async () => {
    const { app, outer } = appWithParts()
    outer.use(pass)
    const client = await serving(app)
    // The first request of a resource checks the whole app once.
    for (const path of ['/users', '/openapi.json']) await client.get(path)
    const requests = async (): Promise<void> => {
      for (const path of [...PATHS, '/nowhere', '/openapi.json']) await client.get(path)
    }
    expect(await listingsDuring(requests)).toBe(0)
  })
})

describe('a document after a change of the app', () => {
  it.each<[string, (parts: Parts) => void, string[]]>([
    ['a resource on the app', ({ app }) => add(app, 'late'), [...PATHS, '/late']],
    ['a resource on a nested Router', ({ inner }) => add(inner, 'late'), [...PATHS, '/outer/inner/late']],
    ['a resource on a sub-app', ({ sub }) => add(sub, 'late'), [...PATHS, '/sub/late']],
    ['a resource by a builder', ({ inner }) => void resource(inner, '/late').list(() => []), [
      ...PATHS,
      '/outer/inner/late',
    ]],
    ['a nested Router a second time', ({ app, inner }) => void app.use('/again', inner), [...PATHS, '/again/tickets']],
    ['a Router with resources, in front', ({ outer, spare }) => {
      outer.use(spare)
      stackOf(outer).unshift(...stackOf(outer).splice(-1))
    }, [...PATHS, '/outer/late']],
    ['a second action of a path', ({ app }) => {
      const { route } = layerOf(app, 'users')
      if (route !== undefined) registry.register(route, entryOf('/users', 'create', { method: 'POST', app: null }))
    }, [...PATHS, '/users']],
    ['a route that is removed', ({ inner }) => remove(inner, layerOf(inner, 'tickets')), ['/sub/orders', '/users']],
    ['a Router that is replaced in its layer', ({ outer, inner, spare }) => {
      Object.assign(stackOf(outer).find(({ handle }) => handle === (inner as unknown)) ?? {}, { handle: spare })
    }, ['/outer/inner/late', '/sub/orders', '/users']],
    ['the stack of a Router that is replaced', ({ inner, spare }) => {
      inner.stack = spare.stack
    }, ['/outer/inner/late', '/sub/orders', '/users']],
    ['a route that is removed from its layer', ({ inner }) => {
      Object.assign(layerOf(inner, 'tickets'), { route: undefined })
    }, ['/sub/orders', '/users']],
    ['a Router under another path', ({ app, outer }) => {
      const layer = stackOf(app).find(({ handle }) => handle === (outer as unknown))
      Object.assign(layer ?? {}, { rawPath: '/moved' })
    }, ['/moved/inner/tickets', '/sub/orders', '/users']],
    ['two layers that change places', ({ app }) => void stackOf(app).reverse(), PATHS],
  ])('shows %s', async (_what, change, expected) => {
    const parts = appWithParts()
    const client = await serving(parts.app)
    expect(await operationsAt(client)).toEqual(PATHS)
    change(parts)
    expect(await operationsAt(client)).toEqual([...expected].sort())
    expect(await listingsDuring(() => operationsAt(client))).toBe(0)
  })

  it('is the same for middleware that changes no route', async () => {
    const { app, inner } = appWithParts()
    const client = await serving(app)
    const { headers } = await client.get('/openapi.json')
    inner.use(pass)
    stackOf(inner).unshift(...stackOf(inner).splice(-1))
    const again = await client.get('/openapi.json', { headers: { 'if-none-match': String(headers.get('etag')) } })
    expect(again.headers.get('etag')).toBe(headers.get('etag'))
  })

  it('shows the resources of a sub-app that had no router', async () => {
    const { app, spare } = appWithParts()
    const empty = express()
    app.use('/empty', empty)
    const client = await serving(app)
    expect(await operationsAt(client)).toEqual(PATHS)
    empty.use(spare)
    expect(await operationsAt(client)).toEqual(['/empty/late', ...PATHS])
  })
})

describe('a list of routes', () => {
  it('shows the first routes of an app', () => {
    const { spare } = appWithParts()
    const app = express()
    expect(routesOf(app)).toEqual([])
    app.use(spare)
    expect(routesOf(app)).toMatchObject([{ path: '/late' }])
  })

  it('shows the routes of a Router whose stack was replaced', () => {
    const { inner, spare } = appWithParts()
    expect(routesOf(inner)).toMatchObject([{ path: '/tickets' }])
    inner.stack = spare.stack
    expect(routesOf(inner)).toMatchObject([{ path: '/late' }])
  })
})

/** Returns each route of an app with its permissions. */
function permissionsAt(app: Express): string[] {
  return routesOf(app).map(({ path, permissions }) => [path, ...permissions].join(' ')).sort()
}

describe('the permissions of routes without an app', () => {
  const [open, guarded] = ['/outer/inner/tickets', '/outer/inner/tickets desk.tickets.list']

  it.each<[string, (parts: Parts) => void]>([
    ['inserted in front of a Router', ({ app }) => {
      app.use('/outer', guardsOf('desk'))
      stackOf(app).unshift(...stackOf(app).splice(-2))
    }],
    ['inserted in front of a route', ({ inner }) => {
      inner.use(guardsOf('desk'))
      stackOf(inner).unshift(...stackOf(inner).splice(-2))
    }],
    ['put into a layer in front', ({ outer }) => {
      const [first, second] = stackOf(outer)
      const [auth, permission] = guardsOf('desk')
      Object.assign(first ?? {}, { handle: auth })
      Object.assign(second ?? {}, { handle: permission })
    }],
    ['added to a route in front', ({ app }) => {
      const { route } = layerOf(app, 'outer/*rest')
      ;(route as unknown as IRoute).all(guardsOf('desk'))
    }],
    ['put into a handler of a route in front', ({ app }) => {
      const { route } = layerOf(app, 'outer/*rest')
      guardsOf('desk').forEach((handle, at) => Object.assign(route?.stack[at] ?? {}, { handle }))
    }],
  ])('follow a guard %s', async (_what, change) => {
    const [app, outer, inner, spare] = [express(), Router(), Router(), Router()]
    app.route('/outer/*rest').all(pass, pass)
    app.use('/outer', outer.use(pass, pass).use('/inner', inner))
    add(inner, 'tickets')
    expect(permissionsAt(app)).toEqual([open])
    change({ app, outer, inner, sub: app, spare })
    expect(permissionsAt(app)).toEqual([guarded])
    expect(await listingsDuring(() => permissionsAt(app))).toBe(0)
  })

  it('follow a guard that is removed', () => {
    const app = express().use(guardsOf('desk'))
    add(app, 'tickets')
    expect(permissionsAt(app)).toEqual(['/tickets desk.tickets.list'])
    stackOf(app).splice(0, 2)
    expect(permissionsAt(app)).toEqual(['/tickets'])
  })

  it('follow a guard that no longer answers their method', () => {
    const app = express()
    app.route('/*rest').get(guardsOf('desk'))
    add(app, 'tickets')
    expect(permissionsAt(app)).toEqual(['/tickets desk.tickets.list'])
    for (const layer of layerOf(app, '*rest').route?.stack ?? []) Object.assign(layer, { method: 'post' })
    expect(permissionsAt(app)).toEqual(['/tickets'])
  })

  it('follow a guard whose layer no longer matches', () => {
    const app = express().use(guardsOf('desk'))
    add(app, 'tickets')
    expect(permissionsAt(app)).toEqual(['/tickets desk.tickets.list'])
    for (const layer of stackOf(app).slice(0, 2)) Object.assign(layer, { match: () => false })
    expect(permissionsAt(app)).toEqual(['/tickets'])
  })
})

describe('the document of routes without an app', () => {
  it('stays with another layer, and follows another guard in front', () => {
    const app = express().use(guardsOf('desk'))
    add(app, 'tickets')
    const made = () => JSON.stringify(openapi(app, { title: 'API', version: '1.0.0' }))
    const first = made()
    app.use(pass)
    expect(made()).toBe(first)
    app.use(guardsOf('shop'))
    expect(made()).toBe(first)
    stackOf(app).unshift(...stackOf(app).splice(-2))
    expect(first).not.toContain('shop')
    expect(made()).toContain('shop')
  })
})

describe('routes that cannot be listed', () => {
  it('are found in a Router that gets the arguments of its path later', () => {
    const inner = Router()
    mountResource(inner, { route: '/parts/:id', name: 'parts', handlers: { list: () => [] } })
    const app = express().use('/:id', inner)
    expect(permissionsAt(app)).toEqual(['/:id/parts/:id'])
    Object.assign(inner, { mergeParams: true })
    expect(() => routesOf(app)).toThrow(expect.objectContaining({ code: 'route_invalid' }))
  })

  it('throw again at each listing, until they can be', () => {
    const app = express()
    add(app, 'users')
    add(app, 'tickets')
    const draft = resource(app, '/users').name('users')
    draft.list(() => [])
    expect(() => routesOf(app)).toThrow(expect.objectContaining({ code: 'name_taken' }))
    expect(() => routesOf(app)).toThrow(expect.objectContaining({ code: 'name_taken' }))
    draft.name('people')
    expect(() => routesOf(app)).toThrow(expect.objectContaining({ code: 'route_taken' }))
  })
})
