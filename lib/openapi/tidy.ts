import { mapValues } from './map-values.js'
import type { JsonSchema } from './types.js'

/** Marks a schema whose meaning JSON Schema has no words for; the value is what zod calls it. */
export const UNSAYABLE = 'x-unsayable'

/** Marks a list whose items a query joins by commas. */
export const COMMAS = 'x-joined-by-commas'

/** Marks a union whose variants are told apart by a property. */
export const DISCRIMINATOR = 'x-discriminator'

/** How zod refers to a definition. */
export const RAW = '#/$defs/'

/** Keywords that hold data, and those that hold schemas by name. */
const DATA = new Set(['type', 'default', 'const', 'enum', 'example', 'examples', 'required', DISCRIMINATOR])
const NAMED = new Set(['properties', 'patternProperties'])

/** Keywords that say nothing about what a value may be. */
const ANNOTATIONS = new Set([UNSAYABLE, 'title', 'description', 'default', 'deprecated', 'readOnly', 'example', 'examples'])

/** A copy without zod's own keys and with its references renamed; `unsayable` gets the place of whatever says nothing. */
export function tidy(schema: JsonSchema, place: string, rename: (key: string) => string, unsayable: string[]): JsonSchema {
  const tidyOne = (json: JsonSchema, at: string): JsonSchema => {
    if (saysNothing(json)) unsayable.push(`${at === '' ? 'the whole' : `\`${at}\``} is a ${String(json[UNSAYABLE])}`)
    return Object.fromEntries(Object.entries(json).filter(isKept).map(([keyword, value]) => [keyword, tidyValue(keyword, value, at)]))
  }
  const tidyValue = (keyword: string, value: unknown, at: string): unknown => {
    if (isReference(value)) return RAW + rename(value.slice(RAW.length))
    if (typeof value !== 'object' || value === null || DATA.has(keyword)) return value
    if (NAMED.has(keyword)) return mapValues(value as Record<string, JsonSchema>, (json, name) => tidyOne(json, at === '' ? name : `${at}.${name}`))
    const inside = keyword === 'items' || keyword === 'prefixItems' ? `${at}[]` : at
    return Array.isArray(value) ? value.map((json: JsonSchema) => tidyOne(json, inside)) : tidyOne(value as JsonSchema, inside)
  }
  return tidyOne(schema, place)
}

/** A `$ref`, or an entry of a discriminator's mapping. */
export function isReference(value: unknown): value is string {
  return typeof value === 'string' && value.startsWith(RAW)
}

function saysNothing(json: JsonSchema): boolean {
  return Object.hasOwn(json, UNSAYABLE) && Object.keys(json).every((keyword) => ANNOTATIONS.has(keyword))
}

/** zod's bounds of a safe integer say nothing that `integer` does not. */
function isKept([keyword, value]: [string, unknown]): boolean {
  if (keyword === 'minimum' || keyword === 'maximum') return Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER
  return keyword !== UNSAYABLE && keyword !== '$id' && keyword !== 'id'
}
