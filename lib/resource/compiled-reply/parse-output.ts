import type { z } from 'zod'
import { parse, type Fail } from '../parse.js'
import { checkOf } from './compile.js'

/** Parses what leaves: by the compiled check, and by zod where that has nothing to say, which is so for every fault. */
export function parseOutput(schema: z.ZodType, value: unknown, fail: Fail): unknown {
  const copy = checkOf(schema)(value)
  return copy === undefined ? parse(schema, value, fail) : copy
}
