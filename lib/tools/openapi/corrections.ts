import { z } from 'zod'
import { equalitiesOf, isDeclarative, isIdList, ruleOf, safeParse } from '../../core/index.js'
import { DISCRIMINATOR, OMITTED, withNote } from './clean-schema.js'
import { replacePatterns } from './patterns.js'
import { pipedSchema, type Convert } from './pipes.js'
import type { Direction } from './references.js'
import { trimmedSchema } from './strings.js'
import type { JsonSchema } from './types.js'
import { limitRequired, type Keywords } from './undefined.js'
import { discriminatorOf } from './variants.js'

/** Marks a list whose items a query joins by commas. */
export const COMMAS = 'x-joined-by-commas'

type Definition = z.core.$ZodTypes['_zod']['def']

interface Override {
  readonly zodSchema: z.core.$ZodTypes
  readonly jsonSchema: Keywords
}

/** Corrects the keywords that zod has written for a schema; `convert` converts the second schema of a pipe. */
export function correct(override: Override, io: Direction, convert: Convert): void {
  const { zodSchema, jsonSchema } = override
  // Another one each time: a document with it would differ from the next one.
  if (hasComputedDefault(zodSchema._zod.def)) delete jsonSchema.default
  const ruled = ruleOf(zodSchema)
  if (ruled === undefined) addWhatZodOmits(override)
  else replaceKeywords(jsonSchema, ruled.jsonSchema)
  replacePatterns(zodSchema, jsonSchema)
  if (isIdList(zodSchema)) jsonSchema[COMMAS] = true
  if (io === 'output') return
  const sent = trimmedSchema(zodSchema, jsonSchema) ?? pipedSchema(zodSchema, jsonSchema, convert)
  if (sent !== undefined) replaceKeywords(jsonSchema, sent)
}

function replaceKeywords(jsonSchema: Keywords, keywords: JsonSchema): void {
  for (const keyword of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, keyword)
  Object.assign(jsonSchema, keywords)
}

const NO_JSON = new Set([
  'symbol',
  'undefined',
  'void',
  'map',
  'set',
  'nan',
  'transform',
  'custom',
  'function',
  'promise',
])

function addWhatZodOmits({ zodSchema, jsonSchema }: Override): void {
  const def = zodSchema._zod.def
  if (def.type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' })
  Object.assign(jsonSchema, digitsSchema(zodSchema), boundsOf(zodSchema))
  if (NO_JSON.has(def.type)) jsonSchema[OMITTED] ??= def.type
  if (isReadOnlyInTypes(zodSchema)) delete jsonSchema.readOnly
  if (def.type === 'object') {
    correctObject(def, jsonSchema)
    addConfirmations(zodSchema, def, jsonSchema)
  }
  // `maxItems` ends a tuple; tools require `items` to be a schema.
  if (def.type === 'tuple' && jsonSchema.items === false) jsonSchema.items = {}
  if (def.type === 'union' && 'discriminator' in def) jsonSchema[DISCRIMINATOR] = discriminatorOf(def)
}

/** Returns true for a schema that TypeScript alone protects: the keyword in a document forbids to send its value. */
function isReadOnlyInTypes(schema: z.core.$ZodTypes): boolean {
  return schema._zod.def.type === 'readonly' && z.globalRegistry.get(schema)?.readOnly !== true
}

function correctObject({ shape, catchall }: z.core.$ZodObjectDef, jsonSchema: Keywords): void {
  // A client may send more than is read, and a reply may grow: only a strict object forbids.
  if (catchall === undefined) delete jsonSchema.additionalProperties
  // zod counts a field of rules as required, for its schema also reads a missing value.
  limitRequired(jsonSchema, (name) => shape[name] === undefined || ruleOf(shape[name])?.required !== false)
}

/** Adds fields that are read only to be compared with others, such as `password_confirmation`. */
function addConfirmations(
  schema: z.core.$ZodType,
  { shape }: z.core.$ZodObjectDef,
  jsonSchema: Keywords,
): void {
  for (const { field, other } of equalitiesOf(schema)) {
    const ruled = shape[field] && ruleOf(shape[field])
    if (Object.hasOwn(shape, other)) continue
    jsonSchema.properties = { ...jsonSchema.properties, [other]: ruled?.jsonSchema ?? {} }
    if (ruled?.required === true) jsonSchema.required = [...jsonSchema.required ?? [], other]
  }
}

/** The digits of a bigint in a reply; `param.bigint()` reads the same. */
const DIGITS = { type: 'string', pattern: '^(?:0|-?[1-9]\\d*)$' }

/** Returns the keywords of a schema whose values, or declared values, are bigints; none for any other schema. */
function digitsSchema({ _zod: { def } }: z.core.$ZodTypes): object {
  switch (def.type) {
    case 'bigint':
      return DIGITS
    case 'literal':
      return def.values.some(isBigint) ? literalSchema(def.values) : {}
    case 'default':
    case 'prefault':
      return isBigint(def.defaultValue) ? { default: String(def.defaultValue) } : {}
    default:
      return {}
  }
}

function isBigint(value: unknown): boolean {
  return typeof value === 'bigint'
}

/** Returns the keywords of a literal with bigints, which zod converts to numbers. */
function literalSchema(literals: readonly unknown[]): object {
  const values = literals.map((value) => (isBigint(value) ? String(value) : value))
  const type = values.every((value) => typeof value === 'string') ? { type: 'string' } : { type: undefined }
  return values.length === 1 ? { ...type, const: values[0] } : { ...type, enum: values }
}

/** The bounds of an instant or of a bigint, which JSON Schema has no keywords for. */
interface Bound {
  readonly check: string
  readonly value: Date | bigint
  readonly inclusive?: boolean
}

/** Returns a description with the bounds of dates and bigints, and an example within them that is sent as a string. */
function boundsOf(schema: z.core.$ZodTypes): object {
  const bounds = boundsIn(schema)
  if (bounds.length === 0) return {}
  const { description, example, examples } = z.globalRegistry.get(schema) ?? {}
  const text = bounds.map(textOf).join(', ')
  const found = (example ?? examples) === undefined ? exampleWithin(schema, bounds) : undefined
  return {
    description: withNote(description, text),
    ...(found !== undefined && { examples: [found] }),
  }
}

function boundsIn({ _zod: { def } }: z.core.$ZodTypes): readonly Bound[] {
  if (def.type !== 'date' && def.type !== 'bigint') return []
  return (def.checks ?? []).map((check) => check._zod.def).filter(isBound)
}

function isBound(def: z.core.$ZodCheckDef): def is z.core.$ZodCheckDef & Bound {
  return ['greater_than', 'less_than', 'multiple_of'].includes(def.check)
}

function textOf({ check, value, inclusive = false }: Bound): string {
  if (value instanceof Date) return `not ${check === 'greater_than' ? 'before' : 'after'} ${value.toISOString()}`
  if (check === 'multiple_of') return `a multiple of ${value}`
  if (check === 'greater_than') return `${inclusive ? 'at least' : 'more than'} ${value}`
  return `${inclusive ? 'at most' : 'less than'} ${value}`
}

/**
 * Returns a bound, or a neighbour of one, that the schema reads; `undefined` if it reads no strings, or has a function
 * of the application.
 */
function exampleWithin(schema: z.core.$ZodType, bounds: readonly Bound[]): string | undefined {
  if (!isDeclarative(schema)) return undefined
  const textsOf = ({ value }: Bound): string[] =>
    value instanceof Date ? [value.toISOString()] : [value, value + 1n, value - 1n].map(String)
  return bounds.flatMap(textsOf).find((text) => safeParse(schema, text).success)
}

/**
 * Returns true for a default that a function computes anew: it differs between two reads, or is the present time or
 * day. zod does not tell which defaults are functions, and two reads may be within one millisecond.
 */
function hasComputedDefault(def: Definition): boolean {
  try {
    const value = readDefault(def)
    const json = toText(value)
    return json !== undefined && (json !== toText(readDefault(def)) || isPresent(JSON.parse(json)))
  } catch {
    // A function of `catch` that reads the error: zod publishes no value of it either.
    return false
  }
}

/** Returns the default of a schema, `undefined` of one that has none. */
function readDefault(def: Definition): unknown {
  if (def.type === 'default' || def.type === 'prefault') return def.defaultValue
  return def.type === 'catch' ? Reflect.apply(def.catchValue, undefined, []) : undefined
}

function toText(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, inner: unknown) => typeof inner === 'bigint' ? `${inner}n` : inner)
}

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Returns true for the time of now, in milliseconds, in seconds or as a string, for the day, and for data with one. */
function isPresent(value: unknown): boolean {
  const now = Date.now()
  const isNear = (time: number, span: number): boolean => Math.abs(time - now) < span
  if (typeof value === 'number') return isNear(value, MINUTE) || isNear(value * 1000, MINUTE)
  if (typeof value === 'string') return /^\d{4}-\d{2}-\d{2}/.test(value) && isNear(Date.parse(value), DAY)
  return typeof value === 'object' && value !== null && Object.values(value).some(isPresent)
}
