import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromCell, toCell } from '../../lib/core/csv/cell.js'

describe('a cell of CSV', () => {
  it.each(['=1+1', '+1', '-1+1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1+1', '＋1', '－1+1', '＠SUM(A1)'])(
    'escapes the formula %j',
    (text) => {
      expect(toCell(text)).toBe(`'${text}`)
    },
  )

  it('keeps numbers, including numbers in strings', () => {
    expect([-5, '-5', '-12.50', 1e21, -1n].map(toCell)).toEqual(['-5', '-5', '-12.50', '1e+21', '-1'])
  })

  it.each(['-', '-5.', '-5-5', '-.5', '-5e1', '+49 30 1234'])('escapes %j, which is not a number', (text) => {
    expect(toCell(text)).toBe(`'${text}`)
  })

  it('is empty for null, undefined and invalid numbers or dates', () => {
    expect([null, undefined, '', Number.NaN, new Date('never')].map(toCell)).toEqual(['', '', '', '', ''])
  })

  it('contains dates in ISO 8601, and objects and lists as JSON', () => {
    expect([new Date(0), true, { a: 1 }, ['b']].map(toCell)).toEqual([
      '1970-01-01T00:00:00.000Z',
      'true',
      '{"a":1}',
      '["b"]',
    ])
  })

  it('is read back unchanged, escaped or not', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^'{0,3}[=+\-@][0-9]{0,2}/))
    fc.assert(fc.property(text, (written) => {
      expect(fromCell(toCell(written))).toBe(written)
    }))
    expect(["'=1", "''=1", "'tis", '=1'].map(fromCell)).toEqual(['=1', "'=1", "'tis", '=1'])
  })
})
