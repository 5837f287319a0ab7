import type { z } from 'zod'
import { ValidationError } from '../errors.js'
import { messageOf, type Message } from '../messages.js'
import { textOf, type FieldMessages } from '../messages/field-messages.js'
import { toFieldName } from './field-name.js'
import { MOST_FAULTS } from './guarded-copy.js'
import { messageIn, reworded } from './issue-messages.js'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** Turns what zod found into the messages of each field: `{ "items.0.name": ["Too short"] }`, under `_` those of the whole. */
function toFields(issues: readonly Issue[]): FieldMessages {
  const fields = Object.create(null) as Messages
  for (const issue of issues) addIssue(fields, issue, [])
  return fields
}

/** Turns the error of a `parse` that the application called, with whichever copy of zod, into a 422. */
export function fromZodError({ issues }: { readonly issues: readonly Issue[] }): ValidationError {
  return toValidationError({ issues: issues.slice(0, MOST_FAULTS).map(reworded) })
}

/**
 * Turns what zod found into a 422.
 *
 * Without a stack: where a value was read says nothing of what is wrong with it, and a stack costs more than finding that out.
 */
export function toValidationError(error: { readonly issues: readonly Issue[] }): ValidationError {
  const fields = toFields(error.issues)
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return new ValidationError(fields)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}

type Messages = Record<string, (string | Message)[]>

function addIssue(fields: Messages, issue: Issue, outer: Path): void {
  const path = outer.length === 0 ? issue.path : [...outer, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    // zod's own message would repeat all the keys.
    for (const key of issue.keys.slice(0, MOST_FAULTS)) addMessage(fields, [...path, key], messageOf('field.unknown'))
  } else if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    for (const inner of closest(issue.errors)) addIssue(fields, inner, path)
  } else {
    for (const part of partsOf(issue)) addMessage(fields, path, messageIn(part))
  }
}

/** Returns what is wrong with a key, or with an item of a set, each of which zod reports as one issue. */
function partsOf(issue: Issue): readonly Issue[] {
  const parts = issue.code === 'invalid_key' || issue.code === 'invalid_element' ? issue.issues : []
  return parts.length === 0 ? [issue] : parts
}

function addMessage(fields: Messages, path: Path, message: string | Message): void {
  const messages = (fields[toFieldName(path)] ??= [])
  if (!messages.some((one) => textOf(one) === textOf(message))) messages.push(message)
}

/** Of the options that got as far as looking inside, the one with the fewest faults; of options of the wrong type, all. */
function closest(options: readonly (readonly Issue[])[]): readonly Issue[] {
  const entered = options.filter((issues) => issues.every(({ path }) => path.length > 0))
  const [best] = entered.sort((a, b) => a.length - b.length)
  return best ?? options.flat()
}
