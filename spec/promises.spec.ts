import { describe, expect, it } from 'vitest'
import { chain, isThenable, within } from '../lib/core/base/promises.js'

describe('thenables', () => {
  it('are recognised like `await` does', () => {
    const thenable = { then: (resolve: (value: number) => void) => resolve(1) }
    for (const value of [Promise.resolve(1), thenable] as unknown[]) expect(isThenable(value)).toBe(true)
    for (const value of [null, undefined, 1, 'then', {}, { then: 1 }, () => 1]) expect(isThenable(value)).toBe(false)
  })

  it('are awaited by chain, which is synchronous for other values', async () => {
    expect(chain(1, (value) => value + 1)).toBe(2)
    await expect(chain(Promise.resolve(1), (value) => value + 1)).resolves.toBe(2)
    await expect(chain(Promise.reject(new Error('no')), () => 1)).rejects.toThrow('no')
  })
})

describe('within', () => {
  it('passes on the value or the rejection of a promise', async () => {
    await expect(within(5, Promise.resolve(1))).resolves.toBe(1)
    await expect(within(5, Promise.reject(new Error('no')))).rejects.toThrow('no')
  })

  it('rejects with the waiting time if the promise does not settle', async () => {
    const never = new Promise(() => undefined)
    await expect(within(0.01, never)).rejects.toThrow('There was no answer within 0.01 seconds.')
    await expect(within(0.01, never, 'It did not finish')).rejects.toThrow('It did not finish within 0.01 seconds.')
  })
})
