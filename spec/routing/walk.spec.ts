import { Router } from 'express'
import { describe, expect, it } from 'vitest'
import { stackOf } from '../../lib/express/stack.js'
import { walk } from '../../lib/routing/look-ahead.js'

const nothing = (): void => undefined

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
