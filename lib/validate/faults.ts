import { z } from 'zod'
import { guardedCopy, MOST_FAULTS } from './guarded-copy.js'
import { hasUserFunction, reaches } from './user-functions.js'
import { chooseMessage } from './issue-messages.js'

type Schema = z.core.$ZodType
type Payload = z.core.ParsePayload

/** What is wrong with a value, as zod found it: making an error of zod's from it costs more than finding it. */
export class Faults {
  readonly issues: z.core.$ZodIssue[]

  constructor(issues: z.core.$ZodIssue[]) {
    this.issues = issues
  }
}

export type Outcome<T> = { readonly success: true; readonly data: T } | { readonly success: false; readonly error: Faults }

const declarative = new WeakMap<Schema, boolean>()

/** Returns true if no function of the application's runs when the schema parses, so that it never has to be waited for. */
export function isDeclarative(schema: Schema): boolean {
  const known = declarative.get(schema) ?? !reaches(schema, hasUserFunction)
  declarative.set(schema, known)
  return known
}

const synchronousCopies = new WeakMap<Schema, Schema>()

function synchronousCopy(schema: Schema): Schema {
  const known = synchronousCopies.get(schema)
  if (known !== undefined) return known
  const copy = guardedCopy(schema, isDeclarative(schema) ? 'none' : 'synchronous')
  synchronousCopies.set(schema, copy)
  return copy
}

/**
 * Parses synchronously; of a list with more than 50 faults only the first are found.
 *
 * @throws z.core.$ZodAsyncError when a function of the schema answers with a promise, whose own failure is then ignored.
 */
export function safeParse<S extends Schema>(schema: S, value: unknown): Outcome<z.output<S>> {
  const context = contextOf(false)
  const result = synchronousCopy(schema)._zod.run({ value, issues: [] }, context)
  if (result instanceof Promise) throw new z.core.$ZodAsyncError()
  return outcomeOf(result, context)
}

/** Parses once, waiting for whatever the functions of the schema answer with; their failures reject the promise. */
export async function safeParseAsync<S extends Schema>(schema: S, value: unknown): Promise<Outcome<z.output<S>>> {
  const context = contextOf(true)
  return outcomeOf(await guardedCopy(schema, 'asynchronous')._zod.run({ value, issues: [] }, context), context)
}

/** zod keeps notes on a parse by its context, so each has one of its own. */
function contextOf(async: boolean): z.core.ParseContextInternal {
  return { async, error: chooseMessage }
}

function outcomeOf<T>({ value, issues }: Payload, context: z.core.ParseContextInternal): Outcome<T> {
  if (issues.length === 0) return { success: true, data: value as T }
  const config = z.config()
  return { success: false, error: new Faults(issues.slice(0, MOST_FAULTS).map((issue) => z.core.util.finalizeIssue(issue, context, config))) }
}

/** The error that zod would have made: for a log. */
export function zodErrorOf({ issues }: Faults): z.ZodError {
  return new z.ZodRealError(issues)
}

/** The first of them in a line, with the places where they are: for a log. */
export function summaryOf({ issues }: Faults): string {
  return issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || '_'}: ${message}`).join('; ')
}
