import express, { Router } from 'express'
import { describe, expect, it } from 'vitest'
import { handles, isApp, isOpaque, methodsOf, rootOf, stackInside, stackOf, walk, type ExpressRoute } from '../../lib/routing/express-stack.js'

const nothing = (): void => undefined

function routeWith(...methods: string[]): ExpressRoute {
  const route = Router().route('/')
  for (const method of methods) route[method as 'get'](nothing)
  return route as unknown as ExpressRoute
}

describe('an app', () => {
  it('is told from everything else', () => {
    expect(isApp(express())).toBe(true)
    for (const other of [Router(), nothing, {}, null, undefined, 'app']) expect(isApp(other)).toBe(false)
  })

  it('is recognised before it has a router, and makes none by that', () => {
    const app = express()
    isApp(app)
    app.set('strict routing', true)
    expect((app.router as unknown as { strict: boolean }).strict).toBe(true)
  })

  it('belongs to the outermost one around it', () => {
    const [root, middle, inner] = [express(), express(), express()]
    middle.use(inner)
    root.use('/a', middle)
    expect(rootOf(inner)).toBe(root)
    expect(rootOf(root)).toBe(root)
  })
})

describe('a layer', () => {
  const layerOf = (build: (router: Router) => unknown) => {
    const router = Router()
    build(router)
    const [layer] = stackOf(router)
    if (layer === undefined) throw new Error('Nothing was mounted.')
    return layer
  }
  const inAnApp = (mounted: Parameters<typeof layerOf>[0] | object) => {
    const [layer] = stackOf(express().use(mounted as express.Express))
    if (layer === undefined) throw new Error('Nothing was mounted.')
    return layer
  }

  it('opens on the stack of a router or an app', () => {
    const [router, app] = [Router(), express()]
    expect(stackInside(layerOf((outer) => outer.use(router)))).toBe(stackOf(router))
    expect(stackInside(layerOf((outer) => outer.use(app)))).toBe(stackOf(app))
    const layer = inAnApp(app)
    expect(stackInside(layer)).toBe(stackOf(app))
    expect(stackInside(layer)).toBe(stackOf(app))
    expect(isOpaque(layer)).toBe(false)
  })

  it('of plain middleware opens on nothing, and hides nothing', () => {
    const layer = inAnApp(nothing)
    expect(stackInside(layer)).toBeUndefined()
    expect(isOpaque(layer)).toBe(false)
  })

  it.each([
    ['returns', () => undefined],
    ['throws', () => {
      throw new Error('not a request')
    }],
    ['sets another prototype', (req: object) => Object.setPrototypeOf(req, { app: 'no app' }) as unknown],
  ])('of a foreign app that %s is opaque', (_what, handle) => {
    const layer = inAnApp(Object.assign(() => undefined, { handle, set: nothing, emit: nothing }))
    expect(stackInside(layer)).toBeUndefined()
    expect(isOpaque(layer)).toBe(true)
  })
})

describe('a route', () => {
  it.each([
    [['get'], { GET: true, HEAD: true, POST: false, OPTIONS: false }],
    [['head'], { GET: false, HEAD: true }],
    [['post', 'delete'], { POST: true, DELETE: true, GET: false, HEAD: false }],
    [['all'], { GET: true, HEAD: true, PROPFIND: true }],
    [[], { GET: false, HEAD: false }],
  ])('with %j answers as Express judges', (methods, expected) => {
    const route = routeWith(...methods)
    expect(Object.fromEntries(Object.keys(expected).map((method) => [method, handles(route, method)]))).toEqual(expected)
  })

  it('lists its methods, HEAD with GET once, and a star for all', () => {
    expect(methodsOf(routeWith('get', 'post'))).toEqual(['GET', 'POST', 'HEAD'])
    expect(methodsOf(routeWith('get', 'head'))).toEqual(['GET', 'HEAD'])
    expect(methodsOf(routeWith('delete'))).toEqual(['DELETE'])
    expect(methodsOf(routeWith('all'))).toEqual(['*'])
  })
})

describe('a walk', () => {
  /** The paths of all routes that a path meets. */
  function met(target: unknown, path: string): unknown[] {
    const routes: unknown[] = []
    walk(stackOf(target), path, {
      route: (route) => {
        routes.push(route.path)
        return false
      },
    })
    return routes
  }

  it('meets routes in Express\'s order and with Express\'s own judgement', () => {
    const inner = Router().get('/', nothing).get('/c', nothing)
    const router = Router().get('/a/b/c', nothing).use('/a/b', inner).use(/^\/a/, Router().get('/b/:x', nothing)).get(['/x', /c$/], nothing)
    expect(met(router, '/a/b/c')).toEqual(['/a/b/c', '/c', '/b/:x', ['/x', /c$/]])
    expect(met(router, '/a/b/')).toEqual(['/'])
    expect(met(router, '/a/bc')).toEqual([['/x', /c$/]])
  })

  it('passes a mount by where the match is no prefix of whole segments', () => {
    const inside = Router().all('/*rest', nothing)
    expect(met(Router().use(/b/, inside), '/a/b/c')).toEqual([])
    expect(met(Router().use(/^\/a/, inside), '/ab')).toEqual([])
    expect(met(Router().use(/^\/a\//, inside), '/a/b')).toEqual([])
    expect(met(Router().use(/^\/a/, inside), '/a/b')).toEqual(['/*rest'])
  })

  it('keeps the target `*` as it is', () => {
    expect(met(Router().use(Router().options('/:any', nothing)), '*')).toEqual([])
  })

  it('ends where a visitor says so, or where the path is malformed', () => {
    const router = Router().get('/:id', nothing).get('/%zz', nothing)
    expect(walk(stackOf(router), '/5', { route: () => true })).toBe(true)
    expect(walk(stackOf(router), '/5', { route: () => false })).toBe(false)
    expect(met(router, '/%zz')).toEqual([])
    const mount = Router().use('/a', router)
    expect(walk(stackOf(mount), '/a/5', { middleware: () => true, route: () => false })).toBe(true)
  })

  it('goes round in a router that stands below itself, as long as the path does', () => {
    const tree = Router().get('/:id', nothing)
    tree.use('/:id/children', tree)
    expect(met(tree, '/1/children/2/children/3')).toEqual(['/:id'])
  })
})
