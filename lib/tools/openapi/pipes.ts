import type { z } from 'zod'
import { definitionOf, reaches } from '../../core/index.js'
import { isSafeBound, OMITTED } from './clean-schema.js'
import type { JsonSchema } from './types.js'

/**
 * Returns the keywords of both schemas of a pipe, such as `z.string().trim().pipe(z.email())`; `undefined` for any
 * other schema, and where the first one changes the type of a value or the fields of an object.
 */
export function pipedSchema(
  { _zod: { def } }: z.core.$ZodTypes,
  first: Readonly<Record<string, unknown>>,
  convert: (schema: z.core.$ZodType) => JsonSchema | undefined,
): JsonSchema | undefined {
  if (def.type !== 'pipe' || 'transform' in def || reaches(def.in, isConversion)) return undefined
  if (isConversion(def.out) || definitionOf(def.out).type === 'pipe') return undefined
  const last = convert(def.out)
  return last === undefined || OMITTED in last ? undefined : both(first, last)
}

const CONVERSIONS = new Set(['transform', 'lazy', 'catch', 'object', 'record', 'intersection', 'map', 'set'])

/** Returns true for a schema whose output may have another form than what it reads. */
function isConversion(schema: z.core.$ZodType): boolean {
  const definition = definitionOf(schema)
  return CONVERSIONS.has(definition.type) || definition.coerce === true || 'transform' in definition
}

/** Returns a schema of the values that two schemas accept, as far as possible without `allOf`. */
function both(first: JsonSchema, last: JsonSchema): JsonSchema {
  if (first.$ref !== undefined || last.$ref !== undefined) return { allOf: [{ ...first }, last] }
  const { description = last.description, ...rest } = withoutSafeBounds(first)
  return { ...merge(rest, withoutSafeBounds(last)), ...(description !== undefined && { description }) }
}

function merge(first: JsonSchema, last: JsonSchema): JsonSchema {
  const { type, items } = { ...first, ...last }
  const areNumbers = [first, last].every((schema) => schema.type === 'integer' || schema.type === 'number')
  const joined: JsonSchema = {
    ...first,
    ...last,
    ...(areNumbers && { type: first.type === 'integer' ? 'integer' : type }),
    ...(first.items && items && { items: both(first.items, items) }),
  }
  const isJoined = (keyword: string): boolean => keyword === 'items' || (areNumbers && keyword === 'type')
  const others = Object.entries(first).filter(([keyword, value]) =>
    keyword in last && value !== last[keyword] && !isJoined(keyword)
  )
  return others.length === 0 ? joined : { ...joined, allOf: [...joined.allOf ?? [], Object.fromEntries(others)] }
}

function withoutSafeBounds(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter((entry) => !isSafeBound(entry)))
}
