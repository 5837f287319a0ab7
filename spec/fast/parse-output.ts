import type { z } from 'zod'
import { copyWithCheck } from '../../lib/core/fast/compile-output.js'
import { parse, type Fail } from '../../lib/core/validate/parse.js'

/** Converts a value to output like a reply: by the compiled check, or by zod if that returns undefined. */
export function parseOutput(schema: z.ZodType, value: unknown, fail: Fail): unknown {
  const copy = copyWithCheck(schema, value)
  return copy === undefined ? parse(schema, value, fail) : copy
}
