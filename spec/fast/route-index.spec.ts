import fc from 'fast-check'
import { match } from 'path-to-regexp'
import { expect, it } from 'vitest'
import { RouteIndex, staticPart } from '../../lib/core/fast/route-index.js'

const segment = fc.constantFrom('a', 'A', 'b', 'ab', 'a.b', ':x', ':x', ':x-:y', 'a-:x', '*w', 'a%2Fb')
const route = fc.array(segment, { maxLength: 4 }).map((segments) =>
  `/${segments.map((text, at) => text.replace(/[xyw]/g, (name) => `${name}${at}`)).join('/')}`
)
const asked = fc
  .array(fc.constantFrom('a', 'A', 'b', 'AB', 'a.b', 'a-b', 'c', '', '%61', 'ſ', 'K', 'İ'), { maxLength: 5 })
  .chain((segments) => fc.constantFrom(`/${segments.join('/')}`, `/${segments.join('/')}/`, '*', ''))

it('returns every route that Express could match, in order', () => {
  fc.assert(
    fc.property(
      fc.array(route, { maxLength: 12 }),
      fc.array(asked, { minLength: 1, maxLength: 4 }),
      fc.boolean(),
      (routes, paths, sensitive) => {
        const index = new RouteIndex(routes.map((_, at) => at), (at) => staticPart(routes[at]))
        for (const path of paths) {
          const found = index.candidates(path)
          expect(found).toEqual([...found].sort((one, other) => one - other))
          const matching = routes.map((one, at) => ({
            at,
            fits: match(one === '/' ? one : one.replace(/\/+$/, ''), { sensitive, decode: false })(path) !== false,
          }))
          expect(found).toEqual(expect.arrayContaining(matching.filter(({ fits }) => fits).map(({ at }) => at)))
        }
      },
    ),
    { numRuns: 1000 },
  )
})

it('returns few candidates of many routes', () => {
  const routes = Array.from({ length: 500 }, (_, at) => [`/things${at}`, `/things${at}/:id`]).flat()
  const index = new RouteIndex(routes, staticPart)
  expect(index.candidates('/Things499/7')).toEqual(['/things499', '/things499/:id'])
  expect(index.candidates('/things')).toEqual([])
})

it('returns values without a static part for every path, in their place', () => {
  const index = new RouteIndex(['a', '/a', '*', '/a/b/:c', '/*w', '/b'], staticPart)
  expect(['/a/b/1', '/A/x', '/b', '/c', '', '*'].map((path) => index.candidates(path))).toEqual([
    ['a', '/a', '*', '/a/b/:c', '/*w'],
    ['a', '/a', '*', '/*w'],
    ['a', '*', '/*w', '/b'],
    ['a', '*', '/*w'],
    ['a', '*', '/*w'],
    ['a', '*', '/*w'],
  ])
})

it.each<[path: unknown, part: string]>([
  ['/Users/:id', '/users'],
  ['/a/b', '/a/b'],
  ['/a/', '/a'],
  ['/', ''],
  ['/a{/b}/c', ''],
  ['/a/b{c}/d', '/a'],
  ['/a//b', '/a'],
  ['users', ''],
  [/^\/a/, ''],
  [['/a', '/b'], ''],
  [undefined, ''],
])('takes of the path %s the static part "%s"', (path, part) => {
  expect(staticPart(path)).toBe(part)
})
