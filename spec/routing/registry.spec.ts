import express, { Router, type IRouter } from 'express'
import { describe, expect, it } from 'vitest'
import type { ExpressRoute } from '../../lib/core/express/stack.js'
import { listBelow, mountedAt, register } from '../../lib/core/routing/registry.js'
import { entryOf } from '../auth/marked-routes.js'

const nothing = (): void => undefined

function resource<Target extends IRouter>(target: Target, path: string, ...methods: ('GET' | 'POST')[]): Target {
  const route = target.route(path)
  for (const method of methods) {
    register(route as unknown as ExpressRoute, entryOf(path, `${method} ${path}`, { method, app: null }))
  }
  return target
}

/** Returns the listed routes as `path: names`. */
function lines(target: object): string[] {
  return listBelow(target).map(({ path, entries }) => [path, ...entries.map(({ name }) => name)].join(': '))
}

describe('a registered route', () => {
  const route = Router().route('/') as unknown as ExpressRoute
  const [get, post] = [entryOf('/', 'list'), entryOf('/', 'create', { method: 'POST' })]
  register(route, get)
  register(route, post)

  it('is found by its method, a GET route for HEAD too', () => {
    expect(mountedAt(route, 'GET')).toBe(get)
    expect(mountedAt(route, 'HEAD')).toBe(get)
    expect(mountedAt(route, 'POST')).toBe(post)
  })

  it('is undeclared for every other method, like every other route', () => {
    expect(mountedAt(route, 'PUT')).toBeUndefined()
    expect(mountedAt(route, 'constructor')).toBeUndefined()
    const other = Router().route('/') as unknown as ExpressRoute
    expect(mountedAt(other, 'GET')).toBeUndefined()
    expect(mountedAt(other, 'HEAD')).toBeUndefined()
  })
})

describe('the list of routes', () => {
  it('has the order of Express, with undeclared routes', () => {
    const app = resource(express().get('/first', nothing), '/users', 'GET', 'POST')
    app.use(nothing).use('/api', resource(Router(), '/posts', 'GET')).post('/last', nothing)
    expect(lines(app)).toEqual(['/first', '/users: GET /users: POST /users', '/api/posts: GET /posts', '/last'])
    expect(lines(Router())).toEqual([])
  })

  it('joins prefixes without double slashes', () => {
    const inner = resource(resource(Router(), '/', 'GET'), '/:id', 'GET')
    const router = Router().use(inner).use('/a', inner).use('/b', Router().use('/:c', Router().use('/', inner)))
    expect(lines(router).map((line) => line.split(': ')[0])).toEqual([
      '/',
      '/:id',
      '/a',
      '/a/:id',
      '/b/:c',
      '/b/:c/:id',
    ])
  })

  it('contains every path of an array, and patterns as they are written', () => {
    const app = express().get(['/a', ['/b', /c$/]] as string[], nothing).use(['/x', '/y'], Router().get('/z', nothing))
    expect(lines(app)).toEqual(['/a', '/b', '/c$/', '/x/z', '/y/z'])
  })

  it('contains the routes of sub-apps, however they are mounted', () => {
    const [early, late] = [express(), resource(express(), '/late', 'GET')]
    const app = express().use('/sub', early).use('/sub', late).use(['/a', '/b'], late).use(Router().use('/r', early))
    resource(early, '/early', 'GET')
    expect(lines(app).map((line) => line.split(': ')[0])).toEqual([
      '/sub/early',
      '/sub/late',
      '/a/late',
      '/b/late',
      '/r/early',
    ])
  })

  it('is finite if a router is mounted below itself', () => {
    const tree = Router().get('/:id', nothing)
    tree.use('/:id/children', tree)
    expect(lines(express().use('/one', tree).use('/other', tree))).toEqual(['/one/:id', '/other/:id'])
  })
})
