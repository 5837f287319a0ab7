import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromCell, toCell } from '../../lib/csv/cell.js'

describe('a cell', () => {
  it.each(['=1+1', '+1', '-1+1', '@SUM(A1)', '\t=1', '\r=1', '\n=1', '＝1+1', '＋1', '－1+1', '＠SUM(A1)'])('makes %j harmless', (text) => {
    expect(toCell(text)).toBe(`'${text}`)
  })

  it('keeps numbers, those that a driver hands over as text too', () => {
    expect([-5, '-5', '-12.50', 1e21, -1n].map(toCell)).toEqual(['-5', '-5', '-12.50', '1e+21', '-1'])
  })

  it.each(['-', '-5.', '-5-5', '-.5', '-5e1', '+49 30 1234'])('takes %j for no number', (text) => {
    expect(toCell(text)).toBe(`'${text}`)
  })

  it('is empty for null, for nothing, and for what is neither a number nor a date', () => {
    expect([null, undefined, '', Number.NaN, new Date('never')].map(toCell)).toEqual(['', '', '', '', ''])
  })

  it('has dates in ISO 8601, and objects and lists as JSON', () => {
    expect([new Date(0), true, { a: 1 }, ['b']].map(toCell)).toEqual(['1970-01-01T00:00:00.000Z', 'true', '{"a":1}', '["b"]'])
  })

  it('is read back as it was written, marked or not', () => {
    const text = fc.oneof(fc.string(), fc.stringMatching(/^'{0,3}[=+\-@][0-9]{0,2}/))
    fc.assert(fc.property(text, (written) => {
      expect(fromCell(toCell(written))).toBe(written)
    }))
    expect(["'=1", "''=1", "'tis", '=1'].map(fromCell)).toEqual(['=1', "'=1", "'tis", '=1'])
  })
})
