import type { z } from 'zod'
import { ValidationError, type Fields } from '../errors.js'
import { toFieldName } from './field-name.js'

type Issue = z.core.$ZodIssue
type Path = readonly PropertyKey[]

/** Turns what zod found into the messages of each field: `{ "items.0.name": ["Too short"] }`, under `_` those of the whole. */
export function toFields(issues: readonly Issue[]): Fields {
  const fields = Object.create(null) as Record<string, string[]>
  for (const { path, message } of issues.flatMap((issue) => toMessages(issue, []))) {
    const messages = (fields[toFieldName(path)] ??= [])
    if (!messages.includes(message)) messages.push(message)
  }
  return fields
}

/**
 * Turns a failure of zod's, of whichever of its copies, into a 422.
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

interface Message {
  readonly path: Path
  readonly message: string
}

function toMessages(issue: Issue, outer: Path): Message[] {
  const path = [...outer, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    // zod's own message repeats all the keys, and would be sent with each of them.
    return issue.keys.map((key) => ({ path: [...path, key], message: 'Unknown field' }))
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) return closest(issue.errors).flatMap((inner) => toMessages(inner, path))
  return [{ path, message: issue.message }]
}

/** Of the options that got as far as looking inside, the one with the fewest faults; of options of the wrong type, all. */
function closest(options: readonly (readonly Issue[])[]): readonly Issue[] {
  const entered = options.filter((issues) => issues.every(({ path }) => path.length > 0))
  const [best] = entered.sort((a, b) => a.length - b.length)
  return best ?? options.flat()
}
