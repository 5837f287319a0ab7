import fc from 'fast-check'
import { expect, it } from 'vitest'
import { z } from 'zod'
import { Faults, safeParse } from '../../lib/core/validate/parse.js'
import { fuzzing } from '../support/fuzzing.js'

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

it('safeParse returns the same result as zod for any value', () => {
  fc.assert(fc.property(value, (one) => {
    const expected = Row.safeParse(one)
    const found = safeParse(Row, one)
    const outcome = found.success ? found.data : wordless(found.error.issues)
    expect(outcome).toEqual(expected.success ? expected.data : wordless(expected.error.issues))
    if (!found.success) expect(found.error).toBeInstanceOf(Faults)
  }), fuzzing(1000))
})
