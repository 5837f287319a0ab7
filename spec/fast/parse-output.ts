import type { z } from 'zod'
import { checkedCopy } from '../../lib/fast/compile-output.js'
import { parse, type Fail } from '../../lib/validate/parse.js'

/** Converts a value to output as a reply does: by the compiled check, and by zod where that has nothing to say. */
export function parseOutput(schema: z.ZodType, value: unknown, fail: Fail): unknown {
  const copy = checkedCopy(schema, value)
  return copy === undefined ? parse(schema, value, fail) : copy
}
