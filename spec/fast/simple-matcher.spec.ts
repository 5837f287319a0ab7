import { expect, it } from 'vitest'
import { simpleMatcher } from '../../lib/core/fast/matcher.js'

it('returns arguments without a prototype, as Express does', () => {
  const params = simpleMatcher('/:constructor')?.('/x')
  expect([Object.getPrototypeOf(params), { ...params as object }]).toEqual([null, { constructor: 'x' }])
})

it('falls back to Express for the root and for other patterns than plain segments and parameters', () => {
  expect(['/', '/*all', '/:a-:b', '/a:b', '/a%2Fb', String.raw`/a\:b`].map((path) => simpleMatcher(path))).toEqual(
    Array.from({ length: 6 }, () => undefined),
  )
})
