import express from 'express'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { lastLayer, stackOf } from '../../lib/core/express/stack.js'
import { matchOf } from '../../lib/core/express/layers.js'
import { simpleMatcher } from '../../lib/core/fast/matcher.js'

const segment = fc.constantFrom('a', 'A', 'b', 'a.b', 'a-b', 'a$', '~', ':x', ':X', ':x', ':y_$1')
const route = fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) =>
  `/${segments.map((text, at) => text.startsWith(':') ? `${text}${at}` : text).join('/')}`
)
const asked = fc
  .array(
    fc.oneof(
      fc.constantFrom('a', 'A', 'b', 'B', 'A.b', 'axb', 'a-b', 'a$', '~', '', 'ſ', 'K', 'µ'),
      fc.string({ unit: fc.constantFrom('a', 'A', '.', '-', '~', '$', '(', '*', '+', ':', '@', 'µ', 'é') }),
    ),
    { maxLength: 5 },
  )
  .chain((segments) =>
    fc.constantFrom(
      `/${segments.join('/')}`,
      `/${segments.join('/')}/`,
      `/${segments.join('/')}//`,
      `/${segments.join('//')}`,
      segments.join('/'),
    )
  )

it('matches a path without `%` like Express, with the same arguments', () => {
  fc.assert(fc.property(route, fc.array(asked, { minLength: 1, maxLength: 6 }), (path, others) => {
    const app = express().get(path, () => undefined)
    const layer = lastLayer(stackOf(app))
    const plain = simpleMatcher(path)
    for (const one of [path, path.toUpperCase(), `${path}/`, ...others]) {
      const expected = matchOf(layer, one)
      expect([path, one, plain?.(one)]).toEqual([path, one, expected?.params ?? false])
    }
  }), { numRuns: 1000 })
})

it('returns arguments without a prototype, as Express does', () => {
  const params = simpleMatcher('/:constructor')?.('/x')
  expect([Object.getPrototypeOf(params), { ...params as object }]).toEqual([null, { constructor: 'x' }])
})

it('falls back to Express for the root and for other patterns than plain segments and parameters', () => {
  expect(['/', '/*all', '/:a-:b', '/a:b', '/a%2Fb', String.raw`/a\:b`].map((path) => simpleMatcher(path))).toEqual(
    Array.from({ length: 6 }, () => undefined),
  )
})
