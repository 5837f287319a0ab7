import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { Faults, safeParse, summaryOf, zodErrorOf } from '../../lib/core/validate/parse.js'

const Row = z
  .object({
    id: z.int(),
    name: z.string().min(2, 'Too short'),
    kind: z.enum(['news', 'guide']),
    tags: z.array(z.string().max(3)),
    either: z.union([z.int(), z.email()]),
  })
  .strict()
  .refine(({ id }) => id !== 7, 'Not the seventh')

const value = fc.oneof(
  fc.anything(),
  fc.record({
    id: fc.oneof(fc.constant(7), fc.integer(), fc.string()),
    name: fc.oneof(fc.string(), fc.anything()),
    kind: fc.constantFrom('news', 'guide', 'essay'),
    tags: fc.array(fc.oneof(fc.string(), fc.integer())),
    either: fc.oneof(fc.integer(), fc.string(), fc.constant('ann@example.test')),
    more: fc.anything(),
  }, { requiredKeys: [] }),
)

/** Returns issues without their messages, which differ from zod's. */
function wordless(issues: readonly z.core.$ZodIssue[]): unknown {
  return JSON.parse(JSON.stringify(issues, (key, part: unknown) => (key === 'message' ? undefined : part)))
}

describe('safeParse', () => {
  it('returns the same result as zod for any value', () => {
    fc.assert(fc.property(value, (one) => {
      const expected = Row.safeParse(one)
      const found = safeParse(Row, one)
      const outcome = found.success ? found.data : wordless(found.error.issues)
      expect(outcome).toEqual(expected.success ? expected.data : wordless(expected.error.issues))
      if (!found.success) expect(found.error).toBeInstanceOf(Faults)
    }), { numRuns: 1000 })
  })

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
