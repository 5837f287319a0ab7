import { z } from 'zod'
import { MisuseError } from '../errors.js'
import { isIdList } from '../param.js'
import { ruledField } from '../validate/field-schema.js'
import { anonymousName } from './anonymous-name.js'
import { nameVariants, type Discriminator } from './name-variants.js'
import { COMMAS, DISCRIMINATOR, tidy, UNSAYABLE } from './tidy.js'
import type { JsonSchema } from './types.js'

/** `input` is what is sent to us, `output` what we send. */
export type Direction = 'input' | 'output'

/** A zod schema in JSON Schema; whoever names the definitions replaces the references `#/$defs/{key}`. */
export interface Converted {
  readonly schema: JsonSchema
  /** What has a `.meta({ id })`, or refers to itself, by key. */
  readonly definitions: Readonly<Record<string, JsonSchema>>
  /** Where the schema says what JSON Schema cannot. */
  readonly unsayable: readonly string[]
}

const known = { input: new WeakMap<z.ZodType, Converted>(), output: new WeakMap<z.ZodType, Converted>() }

/** Converts a schema once for each direction, however many routes share it. */
export function convert(schema: z.ZodType, direction: Direction): Converted {
  const converted = known[direction].get(schema) ?? convertAnew(schema, direction)
  known[direction].set(schema, converted)
  return converted
}

/** @throws MisuseError `component_conflict` when two schemas inside this one have the same id. */
function convertAnew(schema: z.ZodType, io: Direction): Converted {
  // Inside a list, so that a schema that refers to itself becomes a definition like any other.
  const { items, $defs = {} } = toJsonSchema(z.array(schema), io)
  const names = namesOf($defs)
  const unsayable: string[] = []
  const definitions = new Map<string, JsonSchema>()
  const converted = (json: JsonSchema, place: string): JsonSchema =>
    nameVariants(tidy(json, place, (key) => names.get(key) ?? key, unsayable), definitions)
  const whole = converted(items, '')
  for (const [key, name] of names) definitions.set(name, converted($defs[key] ?? {}, name))
  return { schema: whole, definitions: Object.fromEntries(definitions), unsayable }
}

interface Raw {
  readonly items: JsonSchema
  readonly $defs?: Readonly<Record<string, JsonSchema>>
}

function toJsonSchema(schema: z.ZodType, io: Direction): Raw {
  try {
    return z.toJSONSchema(schema, { io, target: 'draft-2020-12', unrepresentable: 'any', override: correct }) as Raw
  } catch (cause) {
    const { message } = cause as Error
    throw new MisuseError('component_conflict', `A schema cannot be documented: ${message}`)
  }
}

const NO_JSON = new Set(['bigint', 'symbol', 'undefined', 'void', 'map', 'set', 'nan', 'transform', 'custom', 'function', 'promise'])

interface Override {
  readonly zodSchema: z.core.$ZodTypes
  readonly jsonSchema: Record<string, unknown>
}

function correct(override: Override): void {
  const ruled = ruledField(override.zodSchema)
  if (ruled === undefined) sayMore(override)
  else sayRules(override.jsonSchema, ruled.jsonSchema)
  if (isIdList(override.zodSchema)) override.jsonSchema[COMMAS] = true
}

function sayRules(jsonSchema: Record<string, unknown>, rules: JsonSchema): void {
  for (const keyword of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, keyword)
  Object.assign(jsonSchema, rules)
}

function sayOfObject({ shape, catchall }: z.core.$ZodObjectDef, jsonSchema: Record<string, unknown>): void {
  // A client may send more than is read, and a reply may grow: only a strict object forbids.
  if (catchall === undefined) delete jsonSchema.additionalProperties
  // zod counts a field of rules as required, for its schema also reads a missing value.
  const isRequired = (name: string): boolean => shape[name] === undefined || ruledField(shape[name])?.required !== false
  const required = ((jsonSchema.required ?? []) as readonly string[]).filter(isRequired)
  if (required.length > 0) jsonSchema.required = required
  else delete jsonSchema.required
}

/** What zod knows and does not say. */
function sayMore({ zodSchema, jsonSchema }: Override): void {
  const { def } = zodSchema._zod
  if (def.type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' })
  if (NO_JSON.has(def.type)) jsonSchema[UNSAYABLE] ??= def.type
  if (def.type === 'object') sayOfObject(def, jsonSchema)
  // A tuple ends where `maxItems` says; tools ask for `items` to be a schema.
  if (def.type === 'tuple' && jsonSchema.items === false) jsonSchema.items = {}
  if (def.type === 'union' && 'discriminator' in def) jsonSchema[DISCRIMINATOR] = valuesOf(def as Discriminated)
}

interface Discriminated {
  readonly discriminator: string
  readonly options: readonly z.core.$ZodType[]
}

/** Which values of its property lead to which variant. */
function valuesOf({ discriminator, options }: Discriminated): Discriminator {
  return { propertyName: discriminator, values: options.map((option) => [...option._zod.propValues?.[discriminator] ?? []].map(String)) }
}

/** zod numbers what has no id in the order of a walk; a digest of what it says is the same in every document. */
function namesOf(defs: Readonly<Record<string, JsonSchema>>): Map<string, string> {
  const isAnonymous = (key: string): boolean => /^__schema\d+$/.test(key)
  const all = JSON.stringify(Object.entries(defs).filter(([key]) => isAnonymous(key)))
  return new Map(Object.keys(defs).map((key) =>
    [key, isAnonymous(key) ? anonymousName(key + all) : key.replace(/[^\w.-]/g, '_')]))
}
