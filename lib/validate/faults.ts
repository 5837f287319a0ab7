import { z } from 'zod'

/** What is wrong with a value, as zod has found it: to make zod's error of that costs more than finding it. */
export class Faults {
  readonly issues: z.core.$ZodIssue[]

  constructor(issues: z.core.$ZodIssue[]) {
    this.issues = issues
  }
}

export type Outcome<T> = { readonly success: true; readonly data: T } | { readonly success: false; readonly error: Faults }

/** zod's `safeParse`, made for another class than its own errors'. */
const attempt = z.core._safeParse(Faults as unknown as z.core.$ZodErrorClass)

/**
 * What a schema makes of a value, at once.
 *
 * @throws z.core.$ZodAsyncError when the schema cannot answer without waiting.
 */
export function safeParse<S extends z.core.$ZodType>(schema: S, value: unknown): Outcome<z.output<S>> {
  return attempt(schema, value)
}

/** The error that zod would have made: for a log. */
export function zodErrorOf({ issues }: Faults): z.ZodError {
  return new z.ZodRealError(issues)
}

/** The first of them in a line, with the places where they are: for a log. */
export function summaryOf({ issues }: Faults): string {
  return issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || '_'}: ${message}`).join('; ')
}
