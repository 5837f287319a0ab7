import { z } from 'zod'
import { emptyMap } from '../base/guards.js'
import { memoize } from '../base/memoize.js'
import { MisuseError, ValidationError } from '../base/errors.js'
import { messageOf, type Message } from '../base/messages/messages.js'
import { textOf } from '../base/messages/field-messages.js'
import { toFieldName } from './plain-data.js'
import { copyGuarded } from './guarded-copy.js'
import { chooseMessage, hasOwnMessage, messageIn, reword } from './issue-messages.js'
import { MOST_FAULTS } from './read-list.js'
import { reaches, run, runnerOf } from './zod-schemas.js'
import { hasUserFunction } from './user-functions.js'

/**
 * Parses data synchronously.
 *
 * @throws ValidationError when the data does not fit.
 * @throws MisuseError `validate_async` for an asynchronous schema.
 */
export function parseNow<S extends z.core.$ZodType>(schema: S, data: unknown): z.output<S> {
  try {
    const result = safeParse(schema, data)
    if (result.success) return result.data
    throw toValidationError(result.error)
  } catch (error) {
    if (!(error instanceof z.core.$ZodAsyncError)) throw error
    throw new MisuseError(
      'validate_async',
      'The schema has an asynchronous refinement or transform, and validate() is synchronous. '
        + 'Use `await schema.parseAsync(data)`, or make the schema the `input` of a resource action.',
    )
  }
}

type Schema = z.core.$ZodType
type Payload = z.core.ParsePayload

/** The issues that zod found in a value; an error of zod would cost more than the parse. */
export class Faults {
  readonly issues: z.core.$ZodIssue[]

  constructor(issues: z.core.$ZodIssue[]) {
    this.issues = issues
  }
}

export type Outcome<T> = { readonly success: true; readonly data: T } | { readonly success: false;
  readonly error: Faults }

/** Returns true if no function of the application runs when the schema parses: the parse is then synchronous. */
export const isDeclarative = memoize((schema: Schema) => !reaches(schema, hasUserFunction))

const synchronousCopyOf = memoize((schema: Schema) =>
  copyGuarded(schema, isDeclarative(schema) ? 'none' : 'synchronous')
)

/**
 * Parses synchronously; of a list with more than 50 faults only the first are found.
 *
 * @throws z.core.$ZodAsyncError when a function of the schema returns a promise, whose own failure is then ignored.
 */
export function safeParse<S extends Schema>(schema: S, value: unknown): Outcome<z.output<S>> {
  const context = contextOf(false)
  const result = run(synchronousCopyOf(schema), { value, issues: [] }, context)
  if (result instanceof Promise) throw new z.core.$ZodAsyncError()
  return outcomeOf(result, value, context)
}

/** Parses once and waits for the functions of the schema; their failures reject the promise. */
export async function safeParseAsync<S extends Schema>(schema: S, value: unknown): Promise<Outcome<z.output<S>>> {
  const context = contextOf(true)
  const result = await run(copyGuarded(schema, 'asynchronous'), { value, issues: [] }, context)
  return outcomeOf(result, value, context)
}

/** Makes the context of one parse; zod keeps notes by context, so none is shared. */
function contextOf(async: boolean): z.core.ParseContextInternal {
  return { async, error: chooseMessage }
}

function outcomeOf<T>({ value, issues }: Payload, root: unknown, context: z.core.ParseContextInternal): Outcome<T> {
  return issues.length === 0
    ? { success: true, data: value as T }
    : { success: false, error: faultsOf(issues, root, context) }
}

function faultsOf(issues: Payload['issues'], root: unknown, context: z.core.ParseContextInternal): Faults {
  const config = z.config()
  return new Faults(
    issues.slice(0, MOST_FAULTS).map((issue) => z.core.util.finalizeIssue(asGiven(issue, root), context, config)),
  )
}

/** Restores that a value is missing, which `z.coerce` has converted to NaN or an Invalid Date. */
function asGiven(issue: z.core.$ZodRawIssue, root: unknown): z.core.$ZodRawIssue {
  const { code, input } = issue
  const number = input instanceof Date ? input.getTime() : input
  if (code !== 'invalid_type' || !Number.isNaN(number)) return issue
  let value = root
  for (const key of issue.path ?? []) value = Reflect.get(Object(value) as object, key)
  return value === undefined ? { ...issue, input: undefined } : issue
}

/** Makes the error that zod would have made, for a log. */
export function zodErrorOf({ issues }: Faults): z.ZodError {
  return new z.ZodRealError(issues)
}

/** Returns the first faults and their places in one line, for a log. */
export function summaryOf({ issues }: Faults): string {
  return issues.slice(0, 5).map(({ path, message }) => `${path.join('.') || '_'}: ${message}`).join('; ')
}

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** Converts the error of a `parse` that the application called, with any copy of zod, to a 422. */
export function fromZodError({ issues }: { readonly issues: readonly Issue[] }): ValidationError {
  return toValidationError({ issues: issues.slice(0, MOST_FAULTS).map(reword) })
}

/**
 * Converts issues to a 422 with the messages of each field: `{ "items.0.name": ["Too short"] }`, under `_` those of the
 * whole. It has no stack, which would not help to find the fault, and costs more than the parse.
 */
export function toValidationError({ issues }: { readonly issues: readonly Issue[] }): ValidationError {
  const fields: Messages = emptyMap()
  for (const issue of issues) addIssue(fields, issue, [])
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return new ValidationError(fields)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

/** The longest message that several keys get: one of the application may repeat all of them. */
const LONGEST_REPEATED = 200

function messageForKeys(issue: Issue): string | Message {
  const { message } = issue
  return message.length <= LONGEST_REPEATED && hasOwnMessage(issue) ? message : messageOf('field.unknown')
}

type Messages = Record<string, (string | Message)[]>

function addIssue(fields: Messages, issue: Issue, outer: Path): void {
  const path = outer.length === 0 ? issue.path : [...outer, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    const message = messageForKeys(issue)
    for (const key of issue.keys.slice(0, MOST_FAULTS)) addMessage(fields, [...path, key], message)
  } else if (issue.code === 'invalid_union' && issue.errors.length > 0 && !hasOwnMessage(issue)) {
    for (const inner of closest(issue.errors)) addIssue(fields, inner, path)
  } else {
    for (const part of partsOf(issue)) addMessage(fields, path, messageIn(part))
  }
}

/** Returns the issues inside one about a key or an item of a set, unless the schema has a message for the whole. */
function partsOf(issue: Issue): readonly Issue[] {
  const parts = issue.code === 'invalid_key' || issue.code === 'invalid_element' ? issue.issues : []
  return parts.length === 0 || hasOwnMessage(issue) ? [issue] : parts
}

function addMessage(fields: Messages, path: Path, message: string | Message): void {
  const messages = (fields[toFieldName(path)] ??= [])
  if (!messages.some((present) => textOf(present) === textOf(message))) messages.push(message)
}

/**
 * Returns the issues of the option with the fewest, among those whose type fits; if no type fits, the issues of all.
 */
function closest(options: readonly (readonly Issue[])[]): readonly Issue[] {
  const entered = options.filter((issues) => issues.every(({ path }) => path.length > 0))
  const [best] = entered.sort((a, b) => a.length - b.length)
  return best ?? options.flat()
}

export type Fail = (faults: Faults) => Error

/**
 * The error of a value that was refused, returned and not thrown: unwinding would cost more than finding the faults.
 */
export class Refused {
  readonly error: Error

  constructor(error: Error) {
    this.error = error
  }
}

/**
 * Parses a value; in a promise it rejects with the error of a value that was refused, otherwise it returns that error
 * as `Refused`.
 */
export type Parser = (value: unknown, fail: Fail) => unknown

/**
 * Returns the parser of a schema, which is chosen once: it is asynchronous where the schema holds a function of the
 * application, which then runs once, and synchronous otherwise.
 */
export const parserOf = memoize((schema: z.ZodType): Parser => {
  if (!isDeclarative(schema)) {
    return async (value, fail) => {
      const result = await safeParseAsync(schema, value)
      if (result.success) return result.data
      throw fail(result.error)
    }
  }
  const runner = runnerOf(synchronousCopyOf(schema))
  return (value, fail) => {
    const context = contextOf(false)
    const { value: data, issues } = runner.run({ value, issues: [] }, context) as Payload
    return issues.length === 0 ? data : new Refused(fail(faultsOf(issues, value, context)))
  }
})

/** Parses a value and throws, or rejects with, the error that `fail` makes of its faults. */
export function parse(schema: z.ZodType, value: unknown, fail: Fail): unknown {
  const outcome = parserOf(schema)(value, fail)
  if (outcome instanceof Refused) throw outcome.error
  return outcome
}
