import type { z } from 'zod'
import { isDeclarative, safeParse, safeParseAsync, type Faults, type Outcome } from '../validate/parse.js'

/** Makes an error of what is wrong. */
export type Fail = (faults: Faults) => Error

/** The error of a value that was refused, returned and not thrown: unwinding would cost more than finding the faults. */
export class Refused {
  readonly error: Error

  constructor(error: Error) {
    this.error = error
  }
}

/** Parses a value; in a promise it rejects with the error of a value that was refused, otherwise it returns that error as `Refused`. */
export type Parser = (value: unknown, fail: Fail) => unknown

const parsers = new WeakMap<z.ZodType, Parser>()

/**
 * Returns the parser of a schema, which is decided once: it is asynchronous where the schema holds a function of the application's, which
 * then runs once, and synchronous otherwise.
 */
export function parserOf(schema: z.ZodType): Parser {
  const known = parsers.get(schema)
  if (known !== undefined) return known
  const parser: Parser = isDeclarative(schema)
    ? (value, fail) => outcomeOf(safeParse(schema, value), fail)
    : async (value, fail) => settled(outcomeOf(await safeParseAsync(schema, value), fail))
  parsers.set(schema, parser)
  return parser
}

/** Parses a value and throws, or rejects with, what `fail` makes of its faults. */
export function parse(schema: z.ZodType, value: unknown, fail: Fail): unknown {
  return settled(parserOf(schema)(value, fail))
}

function outcomeOf(result: Outcome<unknown>, fail: Fail): unknown {
  return result.success ? result.data : new Refused(fail(result.error))
}

function settled(outcome: unknown): unknown {
  if (outcome instanceof Refused) throw outcome.error
  return outcome
}
