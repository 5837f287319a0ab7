import { describe, expect, it } from 'vitest'
import { chain, isThenable } from '../lib/thenable.js'

describe('a thenable', () => {
  it('is what `await` would wait for, and nothing else', () => {
    const thenable = { then: (resolve: (value: number) => void) => resolve(1) }
    for (const value of [Promise.resolve(1), thenable] as unknown[]) expect(isThenable(value)).toBe(true)
    for (const value of [null, undefined, 1, 'then', {}, { then: 1 }, () => 1]) expect(isThenable(value)).toBe(false)
  })

  it('is waited for, and a plain value is handed on at once', async () => {
    expect(chain(1, (value) => value + 1)).toBe(2)
    await expect(chain(Promise.resolve(1), (value) => value + 1)).resolves.toBe(2)
    await expect(chain(Promise.reject(new Error('no')), () => 1)).rejects.toThrow('no')
  })
})
