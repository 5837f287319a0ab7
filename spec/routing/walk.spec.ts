import { Router } from 'express'
import { describe, expect, it } from 'vitest'
import { stackOf } from '../../lib/core/express/stack.js'
import { walk } from '../../lib/core/routing/walk.js'

const nothing = (): void => undefined

describe('walk', () => {
  /** Returns the paths of all routes that match a path. */
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

  it('visits routes in the order of Express, matched by Express', () => {
    const inner = Router().get('/', nothing).get('/c', nothing)
    const router = Router().get('/a/b/c', nothing).use('/a/b', inner).use(/^\/a/, Router().get('/b/:x', nothing)).get([
      '/x',
      /c$/,
    ], nothing)
    expect(met(router, '/a/b/c')).toEqual(['/a/b/c', '/c', '/b/:x', ['/x', /c$/]])
    expect(met(router, '/a/b/')).toEqual(['/'])
    expect(met(router, '/a/bc')).toEqual([['/x', /c$/]])
  })

  it('skips a mount whose match does not end at a segment', () => {
    const inside = Router().all('/*rest', nothing)
    expect(met(Router().use(/b/, inside), '/a/b/c')).toEqual([])
    expect(met(Router().use(/^\/a/, inside), '/ab')).toEqual([])
    expect(met(Router().use(/^\/a\//, inside), '/a/b')).toEqual([])
    expect(met(Router().use(/^\/a/, inside), '/a/b')).toEqual(['/*rest'])
  })

  it('keeps the target `*`', () => {
    expect(met(Router().use(Router().options('/:any', nothing)), '*')).toEqual([])
  })

  it('ends if a visitor returns true, or if the path is malformed', () => {
    const router = Router().get('/:id', nothing).get('/%zz', nothing)
    expect(walk(stackOf(router), '/5', { route: () => true })).toBe(true)
    expect(walk(stackOf(router), '/5', { route: () => false })).toBe(false)
    expect(met(router, '/%zz')).toEqual([])
    const mount = Router().use('/a', router)
    expect(walk(stackOf(mount), '/a/5', { middleware: () => true, route: () => false })).toBe(true)
  })

  it('is finite in a router that is mounted below itself', () => {
    const tree = Router().get('/:id', nothing)
    tree.use('/:id/children', tree)
    expect(met(tree, '/1/children/2/children/3')).toEqual(['/:id'])
  })
})
