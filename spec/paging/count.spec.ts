import { describe, expect, it } from 'vitest'
import { toCount } from '../../lib/core/paging/page.js'

describe('toCount', () => {
  it.each([[57, 57], ['57', 57], [57n, 57], [0, 0], ['0', 0]])('converts %o to a number', (counted, count) => {
    expect(toCount(counted)).toBe(count)
  })

  it.each([
    -1,
    1.5,
    NaN,
    Infinity,
    2 ** 53,
    '9007199254740993',
    9_007_199_254_740_993n,
    -1n,
    '',
    ' 57',
    '5e1',
    '-1',
    null,
    undefined,
    [5],
    {},
  ])('refuses %o', (counted) => {
    expect(() => toCount(counted)).toThrow(expect.objectContaining({ code: 'page_count' }))
  })
})
