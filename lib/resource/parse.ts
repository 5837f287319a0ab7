import { z } from 'zod'

/** Schemas that turned out to have an asynchronous part; all others are never awaited. */
const asynchronous = new WeakSet<z.ZodType>()

/** Parses at once where the schema allows it, and in a promise only where it does not; a failure is what `fail` makes of it. */
export function parse(schema: z.ZodType, value: unknown, fail: (error: z.ZodError) => Error): unknown {
  if (!asynchronous.has(schema)) {
    try {
      return unwrap(schema.safeParse(value), fail)
    } catch (error) {
      if (!(error instanceof z.core.$ZodAsyncError)) throw error
      asynchronous.add(schema)
    }
  }
  return schema.safeParseAsync(value).then((result) => unwrap(result, fail))
}

function unwrap(result: z.ZodSafeParseResult<unknown>, fail: (error: z.ZodError) => Error): unknown {
  if (result.success) return result.data
  throw fail(result.error)
}
