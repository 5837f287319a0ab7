import fc from 'fast-check'
import { expect, it } from 'vitest'
import { charactersIn, hasAtMost } from '../../lib/core/validate/strings.js'
import { codePoint } from '../support/code-point.js'

it('charactersIn counts an emoji as one character', () => {
  expect(['', 'a', 'ä', '😀', 'a😀b', '\ud83d'].map(charactersIn)).toEqual([0, 1, 1, 1, 3, 1])
})

it('hasAtMost returns the same as counting the characters', () => {
  fc.assert(fc.property(fc.string({ unit: codePoint, maxLength: 12 }), fc.nat(12), (text, most) => {
    expect(hasAtMost(most, text)).toBe(Array.from(text).length <= most)
  }))
})
