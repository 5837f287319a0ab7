import { mapValues } from '../../core/index.js'
import type { z } from 'zod'
import { mapSchemas } from './clean-schema.js'
import type { JsonSchema } from './types.js'

/*
 * The server refuses NUL and half a surrogate pair in every string. The patterns mean the same with and without the
 * flag `u`: without it, a character outside the basic plane is a pair of surrogates.
 */
const PAIR = '[\\ud800-\\udbff][\\udc00-\\udfff]'
const CHARACTER = `(?:[^\\u0000\\ud800-\\udfff]|${PAIR})`
const VISIBLE = `(?:[^\\s\\u0000\\ud800-\\udfff]|${PAIR})`

/** Matches the strings that the server reads. */
const READABLE = `^${CHARACTER}*$`

/** The pattern of a required field of rules, and the same of what the server reads. */
const NOT_BLANK = '\\S'
const READABLE_NOT_BLANK = `^${CHARACTER}*${VISIBLE}${CHARACTER}*$`

/** Returns the keywords of a string that is trimmed before its length is checked; `undefined` for any other schema. */
export function trimmedSchema(
  { _zod: { def } }: z.core.$ZodTypes,
  json: Readonly<Record<string, unknown>>,
): JsonSchema | undefined {
  const isFree = def.type === 'string' && json.pattern === undefined && json.format === undefined
  if (!isFree || !trimsFirst(def.checks ?? [])) return undefined
  const { maxLength, ...others } = json
  if (json.minLength === undefined && maxLength === undefined) return undefined
  const most = typeof maxLength === 'number' ? maxLength : undefined
  return { ...others, pattern: trimmedPattern(Number(json.minLength ?? 0), most) }
}

/** Returns true if a string is trimmed before its length is checked. */
function trimsFirst(checks: readonly z.core.$ZodCheck[]): boolean {
  const definitions = checks.map((check): Check => check._zod.def)
  const at = definitions.findIndex(isTrim)
  return at !== -1 && !definitions.slice(0, at).some(({ check }) => check.endsWith('_length'))
}

interface Check {
  readonly check: string
  readonly tx?: (value: string) => unknown
}

/** Returns true for the check that `trim` of zod adds. */
function isTrim({ check, tx }: Check): boolean {
  if (check !== 'overwrite' || tx === undefined) return false
  try {
    return tx(' \t\na b\u2003') === 'a b'
  } catch {
    return false
  }
}

/** Returns a pattern of the strings that have from `least` to `most` characters without the blanks around them. */
function trimmedPattern(least: number, most: number | undefined): string {
  const between = (lower: number): string => `${CHARACTER}{${lower},${most === undefined ? '' : most - 2}}`
  const inner = most !== undefined && most < 2
    ? ''
    : least > 1
    ? `${between(least - 2)}${VISIBLE}`
    : `(?:${between(0)}${VISIBLE})?`
  const word = `${VISIBLE}${inner}`
  return `^\\s*${least > 0 ? word : `(?:${word})?`}\\s*$`
}

/** Returns a schema of requests whose strings have a pattern for what the server reads, unless they have one. */
export function withReadableStrings(schema: JsonSchema): JsonSchema {
  const inside = mapValues(schema, (value, keyword) => mapSchemas(keyword, value, withReadableStrings))
  if (schema.pattern === NOT_BLANK && schema.format === undefined) return { ...inside, pattern: READABLE_NOT_BLANK }
  return isFreeString(schema) ? { ...inside, pattern: READABLE } : inside
}

/** Returns true for a string that no keyword restricts to some characters. */
function isFreeString(schema: JsonSchema): boolean {
  const { type, format, pattern, enum: values, const: value, contentMediaType } = schema
  return [type].flat().includes('string')
    && [format, pattern, values, value, contentMediaType].every((keyword) => keyword === undefined)
}
