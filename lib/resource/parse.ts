import { z } from 'zod'
import { safeParse, type Faults, type Outcome } from '../validate/faults.js'

/** Schemas that turned out to have an asynchronous part; all others are never awaited. */
const asynchronous = new WeakSet<z.ZodType>()

/** Makes an error of what is wrong. */
export type Fail = (faults: Faults) => Error

/** Why a value was refused, to be handed on and not thrown: what nearly always throws is never compiled, and unwinding costs too. */
export class Refused {
  readonly error: Error

  constructor(error: Error) {
    this.error = error
  }
}

/** Parses at once where the schema allows it, and in a promise only where it does not; a failure is what `fail` makes of it. */
export function parse(schema: z.ZodType, value: unknown, fail: Fail): unknown {
  const outcome = parseOrRefuse(schema, value, fail)
  if (outcome instanceof Refused) throw outcome.error
  return outcome
}

/** The same, with a failure as a value where it is known at once; in a promise it is a rejection. */
export function parseOrRefuse(schema: z.ZodType, value: unknown, fail: Fail): unknown {
  return asynchronous.has(schema) ? later(schema, value, fail) : now(schema, value, fail)
}

function now(schema: z.ZodType, value: unknown, fail: Fail): unknown {
  try {
    return outcomeOf(safeParse(schema, value), fail)
  } catch (error) {
    if (!(error instanceof z.core.$ZodAsyncError)) throw error
    asynchronous.add(schema)
    return later(schema, value, fail)
  }
}

async function later(schema: z.ZodType, value: unknown, fail: Fail): Promise<unknown> {
  const outcome = outcomeOf(await schema.safeParseAsync(value), fail)
  if (outcome instanceof Refused) throw outcome.error
  return outcome
}

function outcomeOf(result: Outcome<unknown>, fail: Fail): unknown {
  return result.success ? result.data : new Refused(fail(result.error))
}
