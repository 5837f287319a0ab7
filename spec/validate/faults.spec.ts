import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Faults, safeParse, summaryOf, zodErrorOf } from '../../lib/core/validate/parse.js'

describe('safeParse', () => {
  it('uses the messages that the application configured in zod', () => {
    z.config({ customError: () => 'Unser Wort' })
    try {
      expect(safeParse(z.int(), 'x')).toMatchObject({ success: false, error: { issues: [{ message: 'Unser Wort' }] } })
    } finally {
      z.config({ customError: undefined })
    }
  })

  it('throws for a schema with asynchronous parts', () => {
    expect(() => safeParse(z.string().refine(async () => true), 'x')).toThrow(z.core.$ZodAsyncError)
  })
})

it('Faults provide the error of zod and a summary of the first five for logs', () => {
  const found = safeParse(z.array(z.int()), ['a', 'b', 'c', 'd', 'e', 'f'])
  const faults = found.success ? new Faults([]) : found.error
  const error = zodErrorOf(faults)
  expect([error instanceof Error, error instanceof z.ZodError, error.issues.length]).toEqual([true, true, 6])
  expect(summaryOf(faults).split('; ').map((fault) => fault.split(':')[0])).toEqual(['0', '1', '2', '3', '4'])
  expect(summaryOf(new Faults([{ code: 'custom', path: [], message: 'No', input: 1 }]))).toBe('_: No')
})
