import fc from 'fast-check'
import { expect, it } from 'vitest'
import { verbatimPath } from '../../lib/core/fast/entry.js'

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
  }), { numRuns: 5000 })
})

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
