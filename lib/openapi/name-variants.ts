import { anonymousName } from './anonymous-name.js'
import { mapValues } from './map-values.js'
import { DISCRIMINATOR, RAW } from './tidy.js'
import type { JsonSchema } from './types.js'

/** What is noted under `DISCRIMINATOR`. */
export interface Discriminator {
  readonly propertyName: string
  /** Of each variant. */
  readonly values: readonly (readonly string[])[]
}

/**
 * A copy in which each variant of a discriminated union is a definition, added to `definitions` where it was none: a discriminator
 * chooses by names, and does not see a schema that stands in place (OpenAPI 3.1 §4.8.25).
 */
export function nameVariants(schema: JsonSchema, definitions: Map<string, JsonSchema>): JsonSchema {
  return named(schema, definitions) as JsonSchema
}

function named(value: unknown, definitions: Map<string, JsonSchema>): unknown {
  if (Array.isArray(value)) return value.map((item) => named(item, definitions))
  if (typeof value !== 'object' || value === null) return value
  const copy = mapValues(value as Record<string, unknown>, (inner) => named(inner, definitions))
  return isDiscriminated(copy) ? discriminated(copy, definitions) : copy
}

interface Discriminated extends JsonSchema {
  readonly [DISCRIMINATOR]: Discriminator
  readonly oneOf: readonly JsonSchema[]
}

function isDiscriminated(schema: JsonSchema): schema is Discriminated {
  return Object.hasOwn(schema, DISCRIMINATOR) && Array.isArray(schema.oneOf)
}

function discriminated(schema: Discriminated, definitions: Map<string, JsonSchema>): JsonSchema {
  const { [DISCRIMINATOR]: { propertyName, values }, oneOf, ...rest } = schema
  const refs = oneOf.map((variant) => variant.$ref ?? define(variant, definitions))
  const mapping = Object.fromEntries(refs.flatMap((ref, index) => (values[index] ?? []).map((value) => [value, ref])))
  return { ...rest, oneOf: refs.map(($ref) => ({ $ref })), discriminator: { propertyName, mapping } }
}

function define(variant: JsonSchema, definitions: Map<string, JsonSchema>): string {
  const name = anonymousName(JSON.stringify(variant))
  definitions.set(name, variant)
  return RAW + name
}
