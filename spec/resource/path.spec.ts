import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bySpecificity, checkRoute, nameFromRoute, pathNamesOf, shapeOf } from '../../lib/core/routing/path.js'

describe('the route of a resource', () => {
  it.each([
    ['', ''],
    ['/', ''],
    ['/users', '/users'],
    ['/users/', '/users'],
    ['/users//', '/users'],
    ['/:id', '/:id'],
    ['/a/:b/*rest', '/a/:b/*rest'],
    ['/:from-:to', '/:from-:to'],
    ['/a.b/~c', '/a.b/~c'],
    ['/:constructor', '/:constructor'],
  ])('%j is mounted as %j', (route, mounted) => {
    expect(checkRoute(route)).toBe(mounted)
  })

  it.each([
    ['users', 'must begin with a slash'],
    ['/{id}', '`/:id`'],
    ['/users/{id}/posts/{post}', '`/users/:id/posts/:post`'],
    ['/users{/:id}', 'optional part'],
    ['/users/:id?', 'optional part'],
    ['/users/:id(\\d+)', 'optional part'],
    ['/users/[ab]', 'pattern'],
    ['/users+', 'pattern'],
    ['/users!', 'pattern'],
    ['/us ers', 'pattern'],
    ['/users/:', 'without a name'],
    ['/users/*', 'without a name'],
    ['/users/:5', 'without a name'],
    ['/users/:"id"', 'without a name'],
    ['/:id/posts/:id', 'twice'],
    ['/:id/*id', 'twice'],
    ['/:__proto__', '`__proto__`'],
    ['/caf\u00e9', 'percent-encoded'],
    ['/:id\u00e9', 'percent-encoded'],
    ['/a\\b', 'percent-encoded'],
    ['/a#b', 'percent-encoded'],
    [undefined, 'must be a string'],
    [/users/, 'must be a string'],
    [['/users'], 'must be a string'],
  ])('%j is refused with a message', (route, reason) => {
    expect(() => checkRoute(route)).toThrow(expect.objectContaining({
      code: 'route_invalid',
      message: expect.stringMatching(/^The route `.*` .+\.$/) as string,
    }) as Error)
    expect(() => checkRoute(route)).toThrow(reason)
  })
})

describe('the parameters of a path', () => {
  it.each([
    ['/users', []],
    ['/:id', ['id']],
    ['/:a/b/:c', ['a', 'c']],
    ['/:from-:to.:format', ['from', 'to', 'format']],
    ['/*rest', ['rest']],
    ['/:$a_1', ['$a_1']],
  ])('of %s are %j', (path, names) => {
    expect(pathNamesOf(path)).toEqual(names)
  })
})

describe('the order of paths by specificity', () => {
  const sorted = (...paths: string[]): string[] => paths.toSorted(bySpecificity)

  it('puts static segments before parameters, and parameters before wildcards', () => {
    expect(sorted('/users/*rest', '/users/:id', '/users/:a-:b', '/users/export')).toEqual([
      '/users/export',
      '/users/:a-:b',
      '/users/:id',
      '/users/*rest',
    ])
    expect(sorted('/:a/x', '/b/:x')).toEqual(['/b/:x', '/:a/x'])
    expect(sorted('/a/:id.json', '/a/:id')).toEqual(['/a/:id.json', '/a/:id'])
  })

  it('puts a path before longer ones, and keeps the order of equal paths', () => {
    expect(sorted('/users/:id/posts', '/users/:id', '/users')).toEqual(['/users', '/users/:id', '/users/:id/posts'])
    expect(sorted('/b', '/a', '')).toEqual(['', '/b', '/a'])
  })

  it('does not depend on the order of declaration', () => {
    // Seven default actions, then the custom ones: the custom ones must come before `/:id`.
    const declared = [
      '/users',
      '/users/:id',
      '/users',
      '/users/:id',
      '/users/:id',
      '/users/:id',
      '/users',
      '/users/export',
      '/users/:id/avatar',
    ]
    expect(sorted(...declared).indexOf('/users/export')).toBeLessThan(sorted(...declared).indexOf('/users/:id'))
  })

  it('is antisymmetric and transitive', () => {
    const path = fc.array(fc.constantFrom('a', 'b', ':x', ':x-:y', '*w'), { maxLength: 4 }).map((segments) =>
      segments.map((one) => `/${one}`).join('')
    )
    fc.assert(fc.property(path, path, path, (a, b, c) => {
      expect(Math.sign(bySpecificity(a, b))).toBe(0 - Math.sign(bySpecificity(b, a)))
      if (bySpecificity(a, b) <= 0 && bySpecificity(b, c) <= 0) expect(bySpecificity(a, c)).toBeLessThanOrEqual(0)
    }))
  })
})

describe('shapeOf', () => {
  it('is equal for paths that no request can distinguish', () => {
    expect(shapeOf('/Users/:id')).toBe(shapeOf('/users/:user_Id'))
    expect(shapeOf('/users/:from-:to')).toBe('/users/:-:')
    expect(shapeOf('/users/:id')).not.toBe(shapeOf('/users/*id'))
    expect(shapeOf('/users/:id')).not.toBe(shapeOf('/users/id'))
  })
})

describe('nameFromRoute', () => {
  it.each([
    ['/reports/:year/daily', 'reports.daily'],
    ['/users', 'users'],
    ['/a/*rest', 'a'],
    ['/:id', undefined],
    ['/', undefined],
    ['', undefined],
  ])('derives from %s the name %s', (route, name) => {
    expect(nameFromRoute(route)).toBe(name)
  })
})
