import { describe, expect, it } from 'vitest'
import { within } from '../lib/within.js'

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
