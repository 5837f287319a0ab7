import { z } from 'zod'
import { definitionOf, isList, propertyOf, reaches } from '../../core/index.js'
import { anyCase, swapCase } from './any-case.js'
import { isSafeBound, OMITTED } from './clean-schema.js'
import type { JsonSchema } from './types.js'

/** Converts a schema by itself, `undefined` where that is not possible. */
export type Convert = (schema: z.core.$ZodType) => JsonSchema | undefined

/**
 * Returns the keywords of both schemas of a pipe, such as `z.string().trim().pipe(z.email())`, and of the strings that
 * a `z.stringbool()` reads; `undefined` for any other schema, and where the first one changes the type of a value or
 * the fields of an object.
 */
export function pipedSchema(
  schema: z.core.$ZodTypes,
  first: Readonly<Record<string, unknown>>,
  convert: Convert,
): JsonSchema | undefined {
  const { _zod: { def } } = schema
  return def.type === 'pipe' ? stringboolSchema(schema, def) ?? joinedSchema(def, first, convert) : undefined
}

type Pipe = z.core.$ZodPipeDef

function joinedSchema(def: Pipe, first: JsonSchema, convert: Convert): JsonSchema | undefined {
  if ('transform' in def || reaches(def.in, isConversion)) return undefined
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

/**
 * Returns the keywords of the strings that a `z.stringbool()` reads, `undefined` for any other pipe. zod shows its
 * words only in the issue about another string.
 */
function stringboolSchema(schema: z.core.$ZodType, { in: from, out }: Pipe): JsonSchema | undefined {
  if (definitionOf(from).type !== 'string' || definitionOf(out).type !== 'boolean') return undefined
  const words = wordsIn(schema, '\u0000') ?? []
  if (words.length === 0) return undefined
  const isStrict = words.some((word) => wordsIn(schema, swapCase(word)) !== undefined)
  return isStrict
    ? { type: 'string', enum: words }
    : { type: 'string', pattern: `^(?:${words.map((word) => anyCase(escape(word)) ?? escape(word)).join('|')})$` }
}

/** Returns the words in the issue of `z.stringbool()` about a string that it does not read. */
function wordsIn(schema: z.core.$ZodType, text: string): readonly string[] | undefined {
  try {
    const [issue] = z.core.safeParse(schema, text).error?.issues ?? []
    if (propertyOf(issue, 'expected') !== 'stringbool') return undefined
    const values = propertyOf(issue, 'values')
    return isList(values) ? values.filter((value) => typeof value === 'string') : []
  } catch {
    // A codec of the application that does not read such a string.
    return undefined
  }
}

/** Escapes the characters that mean something in a pattern. */
function escape(word: string): string {
  return word.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
}
