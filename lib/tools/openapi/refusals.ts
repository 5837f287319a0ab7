import type { z } from 'zod'
import { isDeclarative, safeParse, type MountedRoute } from '../../core/index.js'

/** Returns true if the schema contains no function of the application. */
export function isPredictable(input: MountedRoute['input']): boolean {
  return input === undefined || isDeclarative(input)
}

/** Stands for the whole object among the names of refused fields. */
export const WHOLE = ''

/** Returns the names of the fields of an object that a schema without functions of the application refuses. */
export function refusedFields(
  schema: z.core.$ZodType,
  object: Readonly<Record<string, unknown>>,
): ReadonlySet<string> {
  try {
    const outcome = safeParse(schema, object)
    return new Set(outcome.success ? [] : outcome.error.issues.map(({ path: [name = WHOLE] }) => String(name)))
  } catch {
    // A default or an `.overwrite()` of the application.
    return new Set([WHOLE])
  }
}

/** Returns an example of a parameter unless the server refuses it. */
export function accepted(name: string, example: unknown, { input, query }: MountedRoute): unknown {
  const isRefused = [input, query].some((schema) =>
    schema !== undefined && isPredictable(schema) && refusedFields(schema, { [name]: asText(example) }).has(name)
  )
  return isRefused ? undefined : example
}

/** Converts a value in a path or a query to the strings that the server reads; only several values are a list. */
function asText(value: unknown): unknown {
  if (!Array.isArray(value)) return String(value)
  const texts = value.map(String)
  return texts.length === 1 ? texts[0] : texts
}
