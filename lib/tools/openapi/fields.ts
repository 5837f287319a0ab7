import { mapValues } from '../../core/index.js'
import { isDeepStrictEqual } from 'node:util'
import type { JsonSchema } from './types.js'

export interface Field {
  readonly schema: JsonSchema
  readonly required: boolean
}

/** Returns the definition that a reference names; any other schema is itself. */
export type Resolve = (schema: JsonSchema) => JsonSchema

const VARIANTS = ['anyOf', 'oneOf'] as const

/** Returns the fields of an object; of a union those of every variant, of an intersection those of every part. */
export function fieldsOf(schema: JsonSchema, resolve: Resolve): Map<string, Field> {
  const object = resolve(schema)
  const { properties = {}, required = [] } = object
  const own = Object.entries(properties).map(([name, field]) =>
    [name, { schema: field, required: required.includes(name) }] as const
  )
  const fields = new Map<string, Field>(own)
  for (const part of object.allOf ?? []) {
    for (const [name, field] of fieldsOf(part, resolve)) fields.set(name, field)
  }
  for (const keyword of VARIANTS) {
    joinVariants(fields, (object[keyword] ?? []).map((variant) => fieldsOf(variant, resolve)))
  }
  return fields
}

function joinVariants(fields: Map<string, Field>, variants: readonly Map<string, Field>[]): void {
  for (const name of new Set(variants.flatMap((variant) => [...variant.keys()]))) {
    const declared = variants.flatMap((variant) => variant.get(name) ?? [])
    const schemas = declared.map(({ schema }) => schema)
    const different = schemas.filter((schema, index) =>
      schemas.findIndex((other) => isDeepStrictEqual(schema, other)) === index
    )
    fields.set(name, {
      schema: different.length === 1 ? (different[0] ?? {}) : { anyOf: different },
      required: declared.length === variants.length && declared.every(({ required }) => required),
    })
  }
}

/** Returns the schema without these fields; the schema itself where it has none of them. */
export function withoutFields(schema: JsonSchema, names: readonly string[], resolve: Resolve): JsonSchema {
  const fields = fieldsOf(schema, resolve)
  if (!names.some((name) => fields.has(name))) return schema
  const { discriminator, properties, required, ...rest } = resolve(schema)
  const kept = (name: string): boolean => !names.includes(name)
  const without = (part: JsonSchema): JsonSchema => withoutFields(part, names, resolve)
  return {
    ...mapValues(rest, (value, keyword) => (isParts(keyword, value) ? value.map(without) : value)),
    ...(properties && { properties: Object.fromEntries(Object.entries(properties).filter(([name]) => kept(name))) }),
    ...(required?.some(kept) && { required: required.filter(kept) }),
  }
}

function isParts(keyword: string, value: unknown): value is readonly JsonSchema[] {
  return ['anyOf', 'oneOf', 'allOf'].includes(keyword) && Array.isArray(value)
}

/** Returns the schema without defaults: a partial update must not overwrite stored values with defaults. */
export function withoutDefaults(schema: JsonSchema, resolve: Resolve): JsonSchema {
  const object = resolve(schema)
  const { properties } = object
  if (properties === undefined || !Object.values(properties).some((field) => 'default' in field)) return schema
  return { ...object, properties: mapValues(properties, ({ default: _dropped, ...field }) => field) }
}
