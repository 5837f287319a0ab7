import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toInteger } from '../../lib/core/validate/strings.js'

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: fc.constantFrom('0', '1', '9', '-', '+', '.', 'e', 'x', ' ', '\n', '١'), maxLength: 6 }),
  fc.integer().map(String),
  fc.maxSafeInteger().map(String),
  fc.bigInt().map(String),
  fc.double().map(String),
)

it('toInteger reads only the canonical string of an integer', () => {
  fc.assert(fc.property(text, (one) => {
    const isCanonical = /^(?:0|-?[1-9]\d*)$/.test(one) && Number.isSafeInteger(Number(one))
    expect([one, toInteger(one)]).toEqual([one, isCanonical ? Number(one) : undefined])
  }), { numRuns: 2000 })
})
