import { describe, expect, it } from 'vitest'
import { chain, isThenable, within } from '../lib/promises.js'

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

describe('an answer in time', () => {
  it('is handed on, and so is a refusal', async () => {
    await expect(within(5, Promise.resolve(1))).resolves.toBe(1)
    await expect(within(5, Promise.reject(new Error('no')))).rejects.toThrow('no')
  })

  it('that does not come is an error that says how long it was waited for', async () => {
    const never = new Promise(() => undefined)
    await expect(within(0.01, never)).rejects.toThrow('There was no answer within 0.01 seconds.')
    await expect(within(0.01, never, 'It did not finish')).rejects.toThrow('It did not finish within 0.01 seconds.')
  })
})
