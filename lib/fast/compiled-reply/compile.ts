import { z } from 'zod'
import { partOf } from './part.js'
import { sourceOf } from './source.js'

/** What zod makes of a value; `undefined` where only zod can say it. */
export type Check = (value: unknown) => unknown

/*
 * JSON.stringify keeps writing: a text that the check put together itself is no faster. And zod's own `compile` is not `parse` to the
 * letter: in a union it takes `"42"` for the text where `param.int` reads 42, and it sees a field that a proxy gives and `in` denies.
 */

const checks = new WeakMap<z.ZodType, Check>()

/** A copy of a value that fits a schema; `undefined` where only zod can say it, which is so for every fault. */
export function fitting(schema: z.ZodType, value: unknown): unknown {
  return checkOf(schema)(value)
}

/** The check of a schema, made when it is first asked for, and once. */
export function checkOf(schema: z.ZodType): Check {
  const known = checks.get(schema)
  if (known !== undefined) return known
  const made = compile(schema) ?? ((): undefined => undefined)
  checks.set(schema, made)
  return made
}

function compile(schema: z.ZodType): Check | undefined {
  if (z.config().jitless === true) return undefined
  try {
    const { text, names, values } = sourceOf(partOf(schema))
    // The keys of objects are all that is the user's in the text, as literals of JSON: a schema is code of the app's own anyway.
    // eslint-disable-next-line @typescript-eslint/no-implied-eval
    const make = new Function(...names, text) as (...values: unknown[]) => Check
    return guarded(make(...values))
  } catch {
    // A schema that is not known here, or an engine that makes no code of texts: zod does it all.
    return undefined
  }
}

/** A getter that throws does so again for zod, whose error it then is. */
function guarded(check: Check): Check {
  return (value) => {
    try {
      return check(value)
    } catch {
      return undefined
    }
  }
}
