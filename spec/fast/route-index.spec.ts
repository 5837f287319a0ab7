import fc from 'fast-check'
import { match } from 'path-to-regexp'
import { expect, it } from 'vitest'
import { RouteIndex } from '../../lib/core/fast/route-index.js'

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
        const index = new RouteIndex<number>()
        routes.forEach((one, at) => index.add(one, at))
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
  const index = new RouteIndex<string>()
  for (let at = 0; at < 500; at++) for (const route of [`/things${at}`, `/things${at}/:id`]) index.add(route, route)
  expect(index.candidates('/Things499/7')).toEqual(['/things499', '/things499/:id'])
  expect(index.candidates('/things')).toEqual([])
})

it('returns routes added after the first look-up', () => {
  const index = new RouteIndex<string>()
  expect(index.candidates('/a')).toEqual([])
  index.add('/a', 'a')
  expect(index.candidates('/a')).toEqual(['a'])
})
