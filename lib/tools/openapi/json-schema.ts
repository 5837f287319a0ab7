import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import { MisuseError, propertyOf } from '../../core/index.js'
import { cleaner } from './clean-schema.js'
import { correct } from './corrections.js'
import { referenceTo, type Direction } from './references.js'
import type { JsonSchema } from './types.js'
import { correctUndefined } from './undefined.js'
import { withDefinedVariants } from './variants.js'

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

/** The key of a schema that `keyOf` knows. Other keys have no colon, apart from those of `anonymousKey`. */
const SCHEMA_KEY = /^schema:\d+$/

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
        correct(context, io, withoutDefinitions)
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

/** Converts the second schema of a pipe; `undefined` for one with definitions, which only the whole can name. */
function withoutDefinitions(schema: z.core.$ZodType): JsonSchema | undefined {
  const { items, $defs } = toJsonSchema(z.array(schema), 'input', () => undefined)
  return $defs === undefined ? items : undefined
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
