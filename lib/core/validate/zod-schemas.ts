import { z } from 'zod'
import { MisuseError } from '../base/errors.js'
import { propertyOf } from '../base/guards.js'

/** Returns zod, for schemas that are made while a module is loaded. @throws MisuseError `zod_unsupported` for zod 3. */
export function zod4(): typeof z {
  const { core }: { readonly core?: unknown } = z
  if (core !== undefined) return z
  throw new MisuseError(
    'zod_unsupported',
    'An older zod than 4 is installed, which lacks what resourcery is built on. Run `npm install zod@4`.',
  )
}

/*
 * Everything that this package uses of zod and zod does not document: all of `_zod` but `_zod.def`, which zod's guide
 * for authors of libraries describes.
 */

type Schema = z.core.$ZodType
type Check = z.core.$ZodCheck
type Payload = z.core.ParsePayload
type Context = z.core.ParseContextInternal
export type Parse = (payload: Payload, context: Context) => Payload | Promise<Payload>

/** Parses by a schema, with all its checks. */
export function run(schema: Schema, payload: Payload, context: Context): Payload | Promise<Payload> {
  return schema._zod.run(payload, context)
}

/** Returns the object whose `run` parses by a schema: zod may replace that function. */
export function runnerOf(schema: Schema): { readonly run: Parse } {
  return schema._zod
}

/**
 * Makes a class of schemas that extends one of zod's. Methods such as `.min()` copy a schema by its class, so a change
 * stays, and documents describe the type itself; neither would hold for a pipe or a transform.
 */
export function extendClass<S extends Schema>(
  base: { readonly init: (schema: S, def: S['_zod']['def']) => void },
  name: string,
  change: (schema: S, def: S['_zod']['def']) => void,
): z.core.$constructor<S> {
  return zod4().core.$constructor<S>(name, (schema, def) => {
    base.init(schema, def)
    change(schema, def)
  })
}

/** Passes the result of a parser to a function, at once if it is there. */
export function afterParse(parsed: ReturnType<Parse>, next: (read: Payload) => Payload): ReturnType<Parse> {
  return parsed instanceof Promise ? parsed.then(next) : next(parsed)
}

/** Puts a function in front of the parser of a schema. */
export function wrapParse(schema: Schema, wrap: (parse: Parse) => Parse): void {
  schema._zod.parse = wrap(schema._zod.parse.bind(schema._zod))
}

/** Sets the JSON Schema of a schema. */
export function documentAs(schema: Schema, keywords: object): void {
  schema._zod.processJSONSchema = (_context, json) => Object.assign(json, keywords)
}

export function setFormat(schema: Schema, format: string): void {
  schema._zod.bag.format = format
}

export function mayBeMissing(schema: Schema): boolean {
  return schema._zod.optin !== undefined
}

export function mayBeMissingInOutput(schema: Schema): boolean {
  return schema._zod.optout !== undefined
}

export function allowMissing(schema: Schema): void {
  schema._zod.optin = 'optional'
}

export function discriminatorValues(option: Schema, discriminator: string): ReadonlySet<unknown> {
  return option._zod.propValues?.[discriminator] ?? new Set()
}

/** Returns the schema that this one is a copy of, with other checks or metadata. */
export function originalOf(schema: Schema): Schema | undefined {
  return schema._zod.parent
}

/** Returns an object that inherits from one of zod and replaces one of its functions. */
export function withFunction<T extends Schema | Check>(original: T, name: 'run' | 'check', value: unknown): T {
  const internals: unknown = Object.create(original._zod, { [name]: { value, writable: true } })
  return Object.create(original, { _zod: { value: internals } }) as T
}

export type CheckFunction = Check['_zod']['check']

/** Returns true for a check, or a schema that is its own check. */
export function isCheck(value: object): value is Check {
  return '_zod' in value && typeof propertyOf(value._zod, 'check') === 'function'
}

/** Returns the function of a check, which adds an issue to the payload of a value that does not fit. */
export function checkOf(check: Check): CheckFunction {
  return (payload) => check._zod.check(payload)
}

export function setCheck(check: Check, fn: CheckFunction): void {
  check._zod.check = fn
}

/** Makes a check of the same class with the same message and another function. */
export function checkWith(check: Check, fn: (value: unknown) => unknown): Check {
  const { def, constr } = check._zod as Check['_zod'] & { readonly constr: new(def: object) => Check }
  return new constr({ ...def, fn })
}

/** The definition of a check, with the keys of some kinds of checks that this package reads. */
export interface CheckDefinition {
  readonly check?: unknown
  readonly fn?: (value: unknown) => unknown
  readonly pattern?: unknown
  readonly maximum?: unknown
  readonly length?: unknown
}

export function checkDefinitionOf(check: Check): CheckDefinition {
  return check._zod.def
}

/** The definition of a schema, as far as all kinds of schemas have the same keys. */
interface Definition extends CheckDefinition {
  readonly type: string
  readonly checks?: readonly z.core.$ZodCheck[]
  readonly [key: string]: unknown
}

/** The keys under which each kind of schema keeps the schemas inside it. */
// dprint-ignore
const INNER_KEYS: Readonly<Record<string, readonly string[]>> = {
  string: [], number: [], int: [], boolean: [], bigint: [], symbol: [], undefined: [], null: [], any: [], unknown: [],
  never: [], void: [], date: [], nan: [], literal: [], enum: [], file: [], template_literal: [], custom: [],
  transform: [], lazy: [], array: ['element'], object: ['shape', 'catchall'], union: ['options'],
  intersection: ['left', 'right'], tuple: ['items', 'rest'], record: ['keyType', 'valueType'],
  map: ['keyType', 'valueType'], set: ['valueType'], pipe: ['in', 'out'], promise: ['innerType'],
  optional: ['innerType'], nullable: ['innerType'], default: ['innerType'], prefault: ['innerType'],
  nonoptional: ['innerType'], success: ['innerType'], catch: ['innerType'], readonly: ['innerType'],
}

export function definitionOf(schema: Schema): Definition {
  return schema._zod.def as Schema['_zod']['def'] & Definition
}

/** Kinds of schemas that accept null if the schema inside them does. */
const WRAPPERS = ['optional', 'default', 'prefault', 'nonoptional', 'readonly', 'catch']

export function acceptsNull(schema: Schema): boolean {
  const { type, innerType, options, in: first } = definitionOf(schema)
  if (type === 'nullable' || type === 'null') return true
  if (type === 'union') return schemasUnder(options).some(acceptsNull)
  if (type === 'pipe') return schemasUnder(first).some(acceptsNull)
  return WRAPPERS.includes(type) && schemasUnder(innerType).some(acceptsNull)
}

/**
 * Returns the keys of the definition that contain schemas, `undefined` for a class of schemas that is neither zod's nor
 * ours.
 */
export function innerKeys(schema: Schema): readonly string[] | undefined {
  const { traits, constr } = schema._zod
  if (schema.constructor !== constr) return undefined
  for (const name of traits) if (!/^(?:[$_]?Zod|Resourcery)/.test(name)) return undefined
  return INNER_KEYS[definitionOf(schema).type]
}

/** The most schemas that are visited, since getters may make new ones without end. */
const MOST_SCHEMAS = 5000

/**
 * Returns true if the schema, or one inside it, passes the test, or if there are too many to tell; a schema may contain
 * itself.
 */
export function reaches(schema: Schema, test: (schema: Schema) => boolean, seen = new Set<Schema>()): boolean {
  if (seen.has(schema)) return false
  seen.add(schema)
  if (test(schema) || seen.size > MOST_SCHEMAS) return true
  const definition = definitionOf(schema)
  return (innerKeys(schema) ?? []).some((key) =>
    schemasUnder(definition[key]).some((inner) => reaches(inner, test, seen))
  )
}

/** Returns the schemas of a key: one, a list of them, or the shape of an object. */
function schemasUnder(value: unknown): readonly Schema[] {
  if (typeof value !== 'object' || value === null) return []
  return isSchema(value) ? [value] : Reflect.ownKeys(value).flatMap((key) => schemasUnder(Reflect.get(value, key)))
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && '_zod' in value
}

/** Returns the names of the fields that an object schema reads, or the object schemas of a union or an intersection. */
export function fieldNamesOf(schema: unknown): string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape)
  if (schema instanceof z.ZodUnion) return schema.options.flatMap(fieldNamesOf)
  if (schema instanceof z.ZodPipe) return fieldNamesOf(schema.in)
  if (schema instanceof z.ZodIntersection) return [schema.def.left, schema.def.right].flatMap(fieldNamesOf)
  return schema instanceof z.ZodLazy ? fieldNamesOf(schema.unwrap()) : []
}
