import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { equalitiesOf, isIdList, MisuseError, propertyOf, ruleOf } from '../../core/index.js'
import { boundsOf } from './bounds.js'
import { cleaner, DISCRIMINATOR, OMITTED } from './clean-schema.js'
import { hasComputedDefault } from './computed.js'
import { digitsSchema } from './digits-schema.js'
import { stringboolSchema } from './stringbool-schema.js'
import { replacePatterns } from './patterns.js'
import { pipedSchema } from './pipes.js'
import { trimmedSchema } from './strings.js'
import type { JsonSchema } from './types.js'
import { correctUndefined, limitRequired, type Keywords } from './undefined.js'
import { discriminatorOf, withDefinedVariants } from './variants.js'

/** `input` is sent by clients, `output` is received by them. */
export type Direction = 'input' | 'output'

/** A zod schema as JSON Schema. */
export interface Converted {
  readonly schema: JsonSchema
  /**
   * The schemas that references name: those with a `.meta({ id })`, with a key, those that contain themselves, and
   * variants.
   */
  readonly definitions: ReadonlyMap<string, JsonSchema>
  /** The types in it that JSON Schema cannot express, one sentence each. */
  readonly omissions: readonly string[]
}

/** Marks a list whose items a query joins by commas. */
export const COMMAS = 'x-joined-by-commas'

/** The key of a schema that `keyOf` knows. Other keys have no colon, apart from those of `anonymousKey`. */
const SCHEMA_KEY = /^schema:\d+$/

/** Returns the reference to a definition, which is replaced by that to a component at the end. */
export function referenceTo(direction: Direction, key: string): string {
  return `#/${direction}/${key}`
}

/** Matches the values of `referenceTo`. */
export const REFERENCE = /^#\/(?:input|output)\//

/** Replaces the references in JSON; values without references are not copied. */
export function mapReferences<T>(json: T, map: (reference: string) => string): T {
  const replace = (value: unknown): unknown => {
    if (typeof value === 'string') return REFERENCE.test(value) ? map(value) : value
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) {
      const items = value.map(replace)
      return items.some((item, index) => item !== value[index]) ? items : value
    }
    const copy: Record<string, unknown> = {}
    let changed = false
    for (const [key, inner] of Object.entries(value)) {
      copy[key] = replace(inner)
      changed ||= copy[key] !== inner
    }
    return changed ? copy : value
  }
  return replace(json) as T
}

/** Returns true for a reference to a definition that a `.meta({ id })` names. */
export function isNamedByUser(reference: string): boolean {
  return !reference.includes(':')
}

/**
 * Converts a schema; `keyOf` gives schemas a definition of their own that have no `.meta({ id })`.
 *
 * @throws MisuseError `component_conflict` when two schemas inside this one have the same id.
 */
export function convert(
  schema: z.ZodType,
  direction: Direction,
  keyOf: (schema: object) => string | undefined,
): Converted {
  // Inside a list, so that a schema that refers to itself becomes a definition like any other.
  const { items, $defs = {} } = toJsonSchema(z.array(schema), direction, keyOf)
  const keys = keysOf(withoutAnyJson($defs))
  const omissions: string[] = []
  const definitions = new Map<string, JsonSchema>()
  const clean = cleaner((key) => {
    const name = keys.get(key)
    return name === undefined ? undefined : referenceTo(direction, name)
  }, omissions)
  const define = (variant: JsonSchema): string => {
    const key = anonymousKey(JSON.stringify(variant))
    definitions.set(key, variant)
    return referenceTo(direction, key)
  }
  const convertSchema = (json: JsonSchema, place: string): JsonSchema => withDefinedVariants(clean(json, place), define)
  const whole = convertSchema(items, '')
  for (const [key, name] of keys) definitions.set(name, convertSchema($defs[key] ?? {}, name.replace(/^\w+:.*/, '')))
  return { schema: whole, definitions, omissions }
}

interface Raw {
  readonly items: JsonSchema
  readonly $defs?: Readonly<Record<string, JsonSchema>>
}

function toJsonSchema(schema: z.core.$ZodType, io: Direction, keyOf: (schema: object) => string | undefined): Raw {
  const get = (type: z.core.$ZodType): object | undefined => {
    const meta = z.globalRegistry.get(type)
    const key = meta?.id === undefined ? keyOf(type) : undefined
    return key === undefined ? meta : { ...meta, id: key }
  }
  const metadata = Object.assign(z.registry<Readonly<Record<string, unknown>>>(), { get })
  try {
    return z.toJSONSchema(schema, {
      io,
      target: 'draft-2020-12',
      unrepresentable: 'any',
      override: (context) => {
        correct(context, io)
        // The list around the whole is none of the application's.
        if (io === 'output' && context.zodSchema !== schema) correctUndefined(context.zodSchema, context.jsonSchema)
      },
      metadata,
    }) as Raw
  } catch (cause) {
    const message = propertyOf(cause, 'message')
    throw new MisuseError('component_conflict', `A schema cannot be documented: ${String(message)}`)
  }
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

interface Override {
  readonly zodSchema: z.core.$ZodTypes
  readonly jsonSchema: Keywords
}

function correct(override: Override, io: Direction): void {
  // Another one each time: a document with it would differ from the next one.
  if (hasComputedDefault(override.zodSchema._zod.def)) delete override.jsonSchema.default
  const ruled = ruleOf(override.zodSchema)
  if (ruled === undefined) addWhatZodOmits(override)
  else replaceKeywords(override.jsonSchema, ruled.jsonSchema)
  replacePatterns(override.zodSchema, override.jsonSchema)
  if (isIdList(override.zodSchema)) override.jsonSchema[COMMAS] = true
  if (io === 'output') return
  const { zodSchema, jsonSchema } = override
  const sent = stringboolSchema(zodSchema) ?? trimmedSchema(zodSchema, jsonSchema)
    ?? pipedSchema(zodSchema, jsonSchema, withoutDefinitions)
  if (sent !== undefined) replaceKeywords(override.jsonSchema, sent)
}

/** Converts the second schema of a pipe; `undefined` for one with definitions, which only the whole can name. */
function withoutDefinitions(schema: z.core.$ZodType): JsonSchema | undefined {
  const { items, $defs } = toJsonSchema(z.array(schema), 'input', () => undefined)
  return $defs === undefined ? items : undefined
}

function replaceKeywords(jsonSchema: Keywords, keywords: JsonSchema): void {
  for (const keyword of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, keyword)
  Object.assign(jsonSchema, keywords)
}

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

type Definitions = Readonly<Record<string, JsonSchema>>

/**
 * Leaves out the definitions of `z.json()`: a schema without keywords means the same, and a union that contains itself
 * gives types that do not compile.
 */
function withoutAnyJson($defs: Definitions): Definitions {
  return Object.fromEntries(Object.entries($defs).filter(([key, json]) => !isDeepStrictEqual(json, anyJson(key))))
}

/** Returns the definition of `z.json()` as zod writes it. */
function anyJson(key: string): JsonSchema {
  const self = { $ref: `#/$defs/${key}` }
  const scalars = ['string', 'number', 'boolean', 'null'].map((type) => ({ type }))
  const object = { type: 'object', propertyNames: { type: 'string' }, additionalProperties: self }
  return { anyOf: [...scalars, { type: 'array', items: self }, object] }
}

/** zod numbers schemas without an id by its walk; a digest of the content is the same in every document. */
function keysOf(defs: Definitions): Map<string, string> {
  const isNumbered = (key: string): boolean => /^__schema\d+$/.test(key)
  const all = JSON.stringify(Object.entries(defs).filter(([key]) => isNumbered(key)))
  return new Map(Object.keys(defs).map((key) => {
    if (isNumbered(key)) return [key, anonymousKey(key + all)]
    return [key, SCHEMA_KEY.test(key) ? key : key.replace(/[^\w.-]/g, '_')]
  }))
}

function anonymousKey(content: string): string {
  return `anonymous:${createHash('sha256').update(content).digest('hex').slice(0, 12)}`
}
