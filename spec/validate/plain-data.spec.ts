import fc from 'fast-check'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { toPlainData } from '../../lib/core/validate/plain-data.js'
import { character } from '../support/code-point.js'

describe('toPlainData', () => {
  it('returns maps without a prototype at every level', () => {
    const plain = toPlainData({ a: { b: [{}] } }) as { a: { b: object[] } }
    expect([plain, plain.a, plain.a.b[0]].map((map) => Object.getPrototypeOf(map) as unknown)).toEqual([
      null,
      null,
      null,
    ])
  })

  it('drops the key __proto__ at every level', () => {
    const plain = toPlainData(JSON.parse('{"__proto__":{"x":1},"a":[{"__proto__":{"x":1},"y":2}]}'))
    expect(JSON.stringify(plain)).toBe('{"a":[{"y":2}]}')
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })

  it('removes the holes of a sparse list efficiently', () => {
    const sparse: unknown[] = []
    sparse[4_294_967_290] = 'far'
    expect(toPlainData({ sparse })).toEqual({ sparse: ['far'] })
  })

  it('keeps instances of classes', () => {
    const date = new Date(0)
    const bytes = Buffer.from('a\0b')
    expect(toPlainData([date, bytes])).toEqual([date, bytes])
  })

  it('recognises an object of another realm', () => {
    expect(Object.getPrototypeOf(toPlainData(runInNewContext('({ a: 1 })')))).toBeNull()
  })

  it('keeps every JSON value', () => {
    fc.assert(fc.property(fc.jsonValue({ maxDepth: 8, stringUnit: character }), (value) => {
      const text = JSON.stringify(value)
      fc.pre(!text.includes('\\u0000') && !text.includes('__proto__'))
      expect(JSON.stringify(toPlainData(value))).toBe(text)
    }))
  })
})
