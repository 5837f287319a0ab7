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

/** Takes the result of an early check, once: the same object may hold other data in a later reply. */
export type TakeResult = (data: unknown) => unknown

/** Returns what takes the results of a schema's early checks; `undefined` for a schema without any. */
export function earlyResults(output: z.ZodType | undefined): TakeResult | undefined {
  const results = output === undefined ? undefined : checked.get(output)
  if (results === undefined) return undefined
  return (data) => {
    const result = results.get(data as object)
    if (result !== undefined) results.delete(data as object)
    return result
  }
}
