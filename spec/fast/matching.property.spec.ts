import express from 'express'
import fc from 'fast-check'
import { match } from 'path-to-regexp'
import { describe, expect, it } from 'vitest'
import { matchOf } from '../../lib/core/express/layers.js'
import { lastLayer, stackOf } from '../../lib/core/express/stack.js'
import { verbatimPath } from '../../lib/core/fast/entry.js'
import { simpleMatcher } from '../../lib/core/fast/matcher.js'
import { RouteIndex, staticPart } from '../../lib/core/fast/route-index.js'
import { fuzzing } from '../support/fuzzing.js'

describe('RouteIndex', () => {
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
      fuzzing(1000),
    )
  })
})

describe('simpleMatcher', () => {
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
    }), fuzzing(1000))
  })
})

describe('verbatimPath', () => {
  const character = fc.oneof(
    fc.constantFrom('/', '?', '%', '#', ' ', '!', '"', '~', '\x1F', '\x7F', '\x80', 'é', '\u2028', '\uD83D'),
    fc.string({ minLength: 1, maxLength: 1 }),
  )
  const target = fc.string({ unit: character, maxLength: 12 }).chain((text) =>
    fc.constantFrom(text, `/${text}`, `/a/${text}?b`)
  )

  it('accepts what an equivalent pattern accepts', () => {
    fc.assert(fc.property(target, (text) => {
      expect([text, verbatimPath(text)]).toEqual([text, /^(\/[!"$&->@-~]*)(?:\?[!"$-~]*)?$/.exec(text)?.[1]])
    }), fuzzing(5000))
  })
})
