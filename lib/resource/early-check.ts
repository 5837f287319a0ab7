import type { z } from 'zod'
import { parse, type Fail } from './parse.js'

type Results = WeakMap<object, unknown>

/** The data that was checked before it was replied, by its schema. */
const checked = new WeakMap<z.ZodType, Results>()

/** Lets data be checked against this schema before it is replied. A route looks for results only if this was called before it is mounted. */
export function allowEarlyCheck<S extends z.ZodType>(output: S): S {
  if (!checked.has(output)) checked.set(output, new WeakMap())
  return output
}

/** Checks data against its schema now, and keeps the result for its reply: a transaction must not commit what cannot be replied. */
export async function checkEarly(output: z.ZodType, data: object, fail: Fail): Promise<unknown> {
  const result = await parse(output, data, fail)
  checked.get(output)?.set(data, result)
  return result
}

/** Returns the results of a schema's early checks, by the data; `undefined` for a schema without any. */
export function earlyResults(output: z.ZodType | undefined): Results | undefined {
  return output === undefined ? undefined : checked.get(output)
}
