import { z } from 'zod'
import { isExact } from '../../validate/strings.js'

/** What a schema asks of a value, as far as it can be asked without zod; of everything else zod is asked. */
export type Part =
  | { readonly kind: 'test'; readonly test: (name: string) => string }
  | { readonly kind: 'among'; readonly values: ReadonlySet<unknown> }
  | { readonly kind: 'run'; readonly run: (value: unknown) => unknown }
  // `given`: what stands in for nothing, perhaps by somebody's function, zod has to say.
  | { readonly kind: 'array' | 'given' | 'nullable' | 'optional'; readonly inner: Part }
  | { readonly kind: 'object'; readonly fields: readonly Field[] }

export interface Field {
  readonly key: string
  readonly part: Part
  /** Whether the key may be missing. */
  readonly optional: boolean
}

type Schema = z.core.$ZodTypes
type Kind = Schema['_zod']['def']['type']
type SchemaOf<K extends Kind> = Extract<Schema, { _zod: { def: { type: K } } }>
type Visit = (schema: z.core.$ZodType) => Part

/** The most schemas in one: an engine leaves a longer function as slow as it was written, and a schema within itself never ends. */
const MOST = 250

/**
 * Reads a schema of zod's own classes and checks.
 *
 * @throws Error for one with a function of somebody's in it, which zod would have to call again when the value is refused, and for
 * kinds that are not known here.
 */
export function partOf(schema: z.core.$ZodType): Part {
  let left = MOST
  const visit: Visit = (inner) => {
    const { type } = inner._zod.def
    // Each reader takes the schemas of the type it stands under.
    const read = (READERS as Readonly<Record<string, Read<never> | undefined>>)[type]
    if (read === undefined || left-- === 0) throw unknown(type)
    return read(inner as never, visit)
  }
  return visit(schema)
}

type Read<S> = (schema: S, visit: Visit) => Part

const READERS: { readonly [K in Kind]?: Read<SchemaOf<K>> } = {
  any: (schema) => bare(schema, z.ZodAny, test((name) => `${name} !== undefined`)),
  unknown: (schema) => bare(schema, z.ZodUnknown, test((name) => `${name} !== undefined`)),
  null: (schema) => bare(schema, z.ZodNull, test((name) => `${name} === null`)),
  boolean: (schema) => scalar(schema, z.ZodBoolean, (name) => `typeof ${name} === 'boolean'`),
  string: (schema) => scalar(schema, z.ZodString, (name) => `typeof ${name} === 'string'`),
  date: (schema) => scalar(schema, z.ZodDate, (name) => `${name} instanceof Date && !Number.isNaN(${name}.getTime())`),
  number: (schema) => isInt(schema) ? test((name) => `Number.isSafeInteger(${name})`) : scalar(schema, z.ZodNumber, (name) => `Number.isFinite(${name})`),
  literal: (schema) => bare(schema, z.ZodLiteral, { kind: 'among', values: new Set(schema._zod.def.values) }),
  enum: (schema) => bare(schema, z.ZodEnum, { kind: 'among', values: new Set((schema as z.ZodEnum).options) }),
  nullable: (schema, visit) => bare(schema, z.ZodNullable, { kind: 'nullable', inner: visit(schema._zod.def.innerType) }),
  optional: (schema, visit) => {
    const { innerType } = schema._zod.def
    return bare(schema, z.ZodOptional, { kind: innerType._zod.optin === undefined ? 'optional' : 'given', inner: visit(innerType) })
  },
  default: (schema, visit) => bare(schema, z.ZodDefault, { kind: 'given', inner: visit(schema._zod.def.innerType) }),
  prefault: (schema, visit) => bare(schema, z.ZodPrefault, { kind: 'given', inner: visit(schema._zod.def.innerType) }),
  array: (schema, visit) => {
    const inner = visit(schema._zod.def.element)
    return isBare(schema, z.ZodArray) ? { kind: 'array', inner } : run(schema)
  },
  object: (schema, visit) => {
    const { shape, catchall } = schema._zod.def
    const fields = Reflect.ownKeys(shape).map((key) => fieldOf(key, shape, visit))
    if (catchall === undefined) return bare(schema, z.ZodObject, { kind: 'object', fields })
    visit(catchall)
    return run(schema)
  },
  never: run,
  union: (schema, visit) => {
    schema._zod.def.options.forEach(visit)
    return run(schema)
  },
  record: (schema, visit) => {
    visit(schema._zod.def.keyType)
    visit(schema._zod.def.valueType)
    return run(schema)
  },
}

function test(write: (name: string) => string): Part {
  return { kind: 'test', test: write }
}

function fieldOf(key: string | symbol, shape: z.core.$ZodShape, visit: Visit): Field {
  const schema = typeof key === 'string' && key !== '__proto__' ? shape[key] : undefined
  if (schema === undefined || typeof key !== 'string') throw unknown(`key ${String(key)}`)
  return { key, part: visit(schema), optional: schema._zod.optin !== undefined }
}

/** `z.int()` is its own check, `z.number().int()` has it. */
function isInt(schema: SchemaOf<'number'>): boolean {
  const asked = checksOf(schema).map((check) => check._zod.def)
  if (schema.constructor === z.ZodNumberFormat) asked.push(schema._zod.def as unknown as z.core.$ZodCheckDef)
  return asked.length === 1 && asked.every((def) => 'format' in def && def.format === 'safeint')
}

function scalar(schema: Schema, known: unknown, write: (name: string) => string): Part {
  return isBare(schema, known) ? test(write) : run(schema)
}

function bare(schema: Schema, known: unknown, part: Part): Part {
  if (!isBare(schema, known)) throw unknown(schema._zod.def.type)
  return part
}

/** Whether a schema is of the very class, and asks nothing beside what its class says. */
function isBare(schema: Schema, known: unknown): boolean {
  return schema.constructor === known && checksOf(schema).length === 0 && (schema._zod.def as { coerce?: boolean }).coerce !== true
}

/** A part that zod itself judges, and perhaps changes. */
function run(schema: Schema): Part {
  if (!isDeclared(schema._zod.def) || !checksOf(schema).every(({ _zod: { def } }) => isDeclared(def))) throw unknown('function')
  return {
    kind: 'run',
    run: (value) => {
      const result = schema._zod.run({ value, issues: [] }, { async: false })
      return result instanceof Promise || result.issues.length > 0 ? undefined : result.value
    },
  }
}

const CHECKS = new Set(['less_than', 'greater_than', 'multiple_of', 'number_format', 'min_length', 'max_length', 'length_equals', 'string_format'])

/** Whether a schema, or a check of one, says by data alone what it asks. */
function isDeclared(def: object): boolean {
  const { check, fn } = def as { check?: string; fn?: unknown }
  return fn === isExact || (fn === undefined && (check === undefined || CHECKS.has(check)))
}

function checksOf(schema: Schema): readonly z.core.$ZodCheck[] {
  return schema._zod.def.checks ?? []
}

function unknown(what: string): Error {
  return new Error(`Not compiled: ${what}`)
}
