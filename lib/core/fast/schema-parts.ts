import { z } from 'zod'
import { isExact } from '../validate/strings.js'
import { definitionOf, mayBeMissing, run as parse } from '../validate/zod-schemas.js'

/** The check of a part of a value, which runs without zod where that is possible. */
export type Part =
  | { readonly kind: 'test'; readonly test: (name: string) => string }
  | { readonly kind: 'among'; readonly values: ReadonlySet<unknown> }
  | { readonly kind: 'run'; readonly run: (value: unknown) => unknown }
  // `present` refuses a missing value: zod adds its default, which may be a function of the application.
  | { readonly kind: 'array' | 'present' | 'nullable' | 'optional'; readonly inner: Part }
  | { readonly kind: 'object'; readonly fields: readonly Field[] }

export interface Field {
  readonly key: string
  readonly part: Part
  /** True if the key may be missing. */
  readonly optional: boolean
}

type Schema = z.core.$ZodTypes
type Kind = Schema['_zod']['def']['type']
type SchemaOf<K extends Kind> = Extract<Schema, { _zod: { def: { type: K } } }>
type Visit = (schema: z.core.$ZodType) => Part

/**
 * The largest number of schemas inside one: engines do not optimise longer functions, and a recursive schema has no
 * end.
 */
const MAX_SCHEMAS = 250

/**
 * Converts a schema of zod's classes and checks to parts.
 *
 * @throws Error for a schema with a function of the application's, which zod would call again for a value that does not
 * fit, and for unsupported kinds of schemas.
 */
export function partOf(schema: z.core.$ZodType): Part {
  let left = MAX_SCHEMAS
  const visit: Visit = (inner) => {
    const { type } = inner._zod.def
    // Each reader takes the schemas of its type.
    const read = (READERS as Readonly<Record<string, Read<never> | undefined>>)[type]
    if (read === undefined || left-- === 0) throw unknown(type)
    return read(inner as never, visit)
  }
  return visit(schema)
}

type Read<S> = (schema: S, visit: Visit) => Part

const READERS: { readonly [K in Kind]?: Read<SchemaOf<K>> } = {
  any: bare(z.ZodAny, test((name) => `${name} !== undefined`)),
  unknown: bare(z.ZodUnknown, test((name) => `${name} !== undefined`)),
  null: bare(z.ZodNull, test((name) => `${name} === null`)),
  boolean: scalar(z.ZodBoolean, test((name) => `typeof ${name} === 'boolean'`)),
  string: scalar(z.ZodString, test((name) => `typeof ${name} === 'string'`)),
  bigint: scalar(z.ZodBigInt, test((name) => `typeof ${name} === 'bigint'`)),
  date: scalar(z.ZodDate, test((name) => `${name} instanceof Date && !Number.isNaN(${name}.getTime())`)),
  number: (schema, visit) =>
    isInt(schema)
      ? test((name) => `Number.isSafeInteger(${name})`)
      : scalar(z.ZodNumber, test((name) => `Number.isFinite(${name})`))(schema, visit),
  literal: bare(z.ZodLiteral, ({ _zod: { def } }) => ({ kind: 'among', values: new Set(def.values) })),
  enum: bare(z.ZodEnum, (schema) => ({ kind: 'among', values: new Set((schema as z.ZodEnum).options) })),
  nullable: bare(z.ZodNullable, ({ _zod: { def } }, visit) => ({ kind: 'nullable', inner: visit(def.innerType) })),
  optional: bare(z.ZodOptional, ({ _zod: { def: { innerType } } }, visit) => ({
    kind: mayBeMissing(innerType) ? 'present' : 'optional',
    inner: visit(innerType),
  })),
  default: bare(z.ZodDefault, ({ _zod: { def } }, visit) => ({ kind: 'present', inner: visit(def.innerType) })),
  prefault: bare(z.ZodPrefault, ({ _zod: { def } }, visit) => ({ kind: 'present', inner: visit(def.innerType) })),
  array: (schema, visit) => {
    const inner = visit(schema._zod.def.element)
    return isBare(schema, z.ZodArray) ? { kind: 'array', inner } : run(schema)
  },
  object: (schema, visit) => {
    const { shape, catchall } = schema._zod.def
    const fields = Reflect.ownKeys(shape).map((key) => fieldOf(key, shape, visit))
    if (catchall === undefined) return bare(z.ZodObject, { kind: 'object', fields })(schema, visit)
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
  return { key, part: visit(schema), optional: mayBeMissing(schema) }
}

/** Returns true for `z.int()`, which is a check itself, and for `z.number().int()`, which has one. */
function isInt(schema: SchemaOf<'number'>): boolean {
  const checks: object[] = checksOf(schema).map((check) => check._zod.def)
  if (schema.constructor === z.ZodNumberFormat) checks.push(schema._zod.def)
  return checks.length === 1 && checks.every((def) => 'format' in def && def.format === 'safeint')
}

/** Returns a reader of instances of a class without checks; zod reads all others. */
function scalar(exactClass: unknown, part: Part): Read<Schema> {
  return (schema) => (isBare(schema, exactClass) ? part : run(schema))
}

/** Returns a reader of instances of a class without checks; it throws for all others. */
function bare<S extends Schema>(exactClass: unknown, read: Part | Read<S>): Read<S> {
  return (schema, visit) => {
    if (!isBare(schema, exactClass)) throw unknown(schema._zod.def.type)
    return typeof read === 'function' ? read(schema, visit) : read
  }
}

/** Returns true for an instance of a class itself, without checks. */
function isBare(schema: Schema, exactClass: unknown): boolean {
  return schema.constructor === exactClass
    && checksOf(schema).length === 0
    && definitionOf(schema).coerce !== true
}

/** Returns a part that zod checks, and perhaps changes. */
function run(schema: Schema): Part {
  if (!isDeclared(schema._zod.def) || !checksOf(schema).every(({ _zod: { def } }) => isDeclared(def))) {
    throw unknown('function')
  }
  return {
    kind: 'run',
    run: (value) => {
      const result = parse(schema, { value, issues: [] }, { async: false })
      return result instanceof Promise || result.issues.length > 0 ? undefined : result.value
    },
  }
}

// dprint-ignore
const CHECKS = new Set(
  [
    'less_than', 'greater_than', 'multiple_of', 'number_format', 'bigint_format', 'min_length', 'max_length',
    'length_equals', 'string_format',
  ],
)

/** Returns true for the definition of a schema or a check without a function of the application's. */
function isDeclared(def: object): boolean {
  const { check, fn }: { readonly check?: string; readonly fn?: unknown } = def
  return fn === isExact || (fn === undefined && (check === undefined || CHECKS.has(check)))
}

function checksOf(schema: Schema): readonly z.core.$ZodCheck[] {
  return schema._zod.def.checks ?? []
}

function unknown(what: string): Error {
  return new Error(`Not compiled: ${what}`)
}
