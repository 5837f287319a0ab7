import express, { Router, type RequestHandler } from 'express'
import { describe, expect, it } from 'vitest'
import { auth } from 'resourcery'
import { handles, isOpaque, methodsOf, stackInside } from '../../lib/core/express/layers.js'
import { isApp, rootOf, stackOf, type ExpressRoute } from '../../lib/core/express/stack.js'
import { middlewareIn } from '../../lib/core/routing/guards.js'

const nothing = (): void => undefined

function routeWith(...methods: string[]): ExpressRoute {
  const route = Router().route('/')
  for (const method of methods) route[method as 'get'](nothing)
  return route as unknown as ExpressRoute
}

describe('an Express app', () => {
  it('is distinguished from all other values', () => {
    expect(isApp(express())).toBe(true)
    for (const other of [Router(), nothing, {}, null, undefined, 'app']) expect(isApp(other)).toBe(false)
  })

  it('is recognised before it has a router, without creating one', () => {
    const app = express()
    isApp(app)
    app.set('strict routing', true)
    expect((app.router as unknown as { strict: boolean }).strict).toBe(true)
  })

  it('has the outermost app as root', () => {
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

  it('contains the stack of a router or an app', () => {
    const [router, app] = [Router(), express()]
    expect(stackInside(layerOf((outer) => outer.use(router)))).toBe(stackOf(router))
    expect(stackInside(layerOf((outer) => outer.use(app)))).toBe(stackOf(app))
    const layer = inAnApp(app)
    expect(stackInside(layer)).toBe(stackOf(app))
    expect(stackInside(layer)).toBe(stackOf(app))
    expect(isOpaque(layer)).toBe(false)
  })

  it('contains no stack for plain middleware, and is not opaque', () => {
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
  ])('is opaque for a foreign app that %s', (_what, handle) => {
    const layer = inAnApp(Object.assign(() => undefined, { handle, set: nothing, emit: nothing }))
    expect(stackInside(layer)).toBeUndefined()
    expect(isOpaque(layer)).toBe(true)
  })
})

describe('a route of Express', () => {
  it.each([
    [['get'], { GET: true, HEAD: true, POST: false, OPTIONS: false }],
    [['head'], { GET: false, HEAD: true }],
    [['post', 'delete'], { POST: true, DELETE: true, GET: false, HEAD: false }],
    [['all'], { GET: true, HEAD: true, PROPFIND: true }],
    [[], { GET: false, HEAD: false }],
  ])('with %j handles the methods that Express handles', (methods, expected) => {
    const route = routeWith(...methods)
    expect(Object.fromEntries(Object.keys(expected).map((method) => [method, handles(route, method)]))).toEqual(
      expected,
    )
  })

  it('lists its methods, HEAD with GET once, and `*` for all', () => {
    expect(methodsOf(routeWith('get', 'post'))).toEqual(['GET', 'POST', 'HEAD'])
    expect(methodsOf(routeWith('get', 'head'))).toEqual(['GET', 'HEAD'])
    expect(methodsOf(routeWith('delete'))).toEqual(['DELETE'])
    expect(methodsOf(routeWith('all'))).toEqual(['*'])
  })
})

describe('middleware of this package', () => {
  it('is recognised inside the wrapper of a tracer with the same name', () => {
    const guard = auth('admin', { verify: () => null })
    const copy: RequestHandler = (req, res, next) => guard(req, res, next)
    Object.defineProperty(copy, 'name', { value: guard.name })
    const [own, wrapped, other] = stackOf(Router().use(guard).use(copy).use(nothing))
    expect([own, wrapped, other].map((layer) => layer && middlewareIn(layer))).toEqual([guard, guard, nothing])
  })
})
