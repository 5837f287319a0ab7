import { expect, it } from 'vitest'
import { verbatimPath } from '../../lib/core/fast/entry.js'

it.each([
  ['/', '/'],
  ['/a/b', '/a/b'],
  ['/a?', '/a'],
  ['/a?b=%20?c', '/a'],
])('returns in %s the path %s', (text, path) => {
  expect(verbatimPath(text)).toBe(path)
})

it.each(['', '*', 'a', '?', 'http://host/a', '/%61', '/a#b', '/a?b#c', '/a b', '/a?é', '/\t'])(
  'returns undefined for %s',
  (text) => {
    expect(verbatimPath(text)).toBeUndefined()
  },
)
