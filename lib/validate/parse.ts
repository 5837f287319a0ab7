import { z } from 'zod'
import { MisuseError } from '../errors.js'
import { safeParse, type Outcome } from './faults.js'
import { toValidationError } from './fields.js'

/**
 * What a schema makes of data, now.
 *
 * @throws ValidationError when the data does not fit.
 * @throws MisuseError `validate_async` when the schema cannot answer without waiting.
 */
export function parseNow<S extends z.core.$ZodType>(schema: S, data: unknown): z.output<S> {
  const result = attempt(schema, data)
  if (!result.success) throw toValidationError(result.error)
  return result.data
}

function attempt<S extends z.core.$ZodType>(schema: S, data: unknown): Outcome<z.output<S>> {
  try {
    return safeParse(schema, data)
  } catch (error) {
    if (!(error instanceof z.core.$ZodAsyncError)) throw error
    throw new MisuseError('validate_async', 'This schema has an asynchronous refinement or transform, and validate answers at once: ' +
      'await `schema.parseAsync(data)` instead, or make it the `input` of a resource action.')
  }
}
