import type { z } from 'zod'
import { discriminatorValues, isList, isObject, mapValues } from '../../core/index.js'
import { DISCRIMINATOR } from './clean-schema.js'
import type { JsonSchema } from './types.js'

/** The definition of a discriminated union in zod. */
interface Discriminated {
  readonly discriminator?: unknown
  readonly options: readonly z.core.$ZodType[]
}

/** The property that distinguishes the variants of a union, and its values in each variant. */
interface Discriminator {
  readonly propertyName: string
  readonly values: readonly (readonly string[])[]
}

/** Returns the property that distinguishes the variants, and its values. */
export function discriminatorOf({ discriminator, options }: Discriminated): Discriminator {
  const propertyName = String(discriminator)
  return {
    propertyName,
    values: options.map((option) => [...discriminatorValues(option, propertyName)].map(String)),
  }
}

interface DiscriminatedSchema extends JsonSchema {
  readonly [DISCRIMINATOR]: Discriminator
  readonly oneOf: readonly JsonSchema[]
}

/**
 * Returns a copy in which each variant of a discriminated union is a definition: a discriminator chooses by name, and
 * cannot choose an inline schema (OpenAPI 3.1 §4.8.25). `define` returns the reference to the definition that it makes.
 */
export function withDefinedVariants(
  schema: JsonSchema,
  define: (variant: JsonSchema) => string,
): JsonSchema {
  const copy = (value: unknown): unknown => {
    if (isList(value)) return value.map(copy)
    return isObject(value) ? copySchema(value) : value
  }
  const copySchema = (json: JsonSchema): JsonSchema => {
    const copied = mapValues(json, copy)
    return isDiscriminated(copied) ? discriminate(copied) : copied
  }
  const discriminate = (
    { [DISCRIMINATOR]: { propertyName, values }, oneOf, ...rest }: DiscriminatedSchema,
  ): JsonSchema => {
    const references = oneOf.map((variant) => variant.$ref ?? define(variant))
    const mapping = Object.fromEntries(
      references.flatMap((reference, index) => (values[index] ?? []).map((value) => [value, reference])),
    )
    return { ...rest, oneOf: references.map(($ref) => ({ $ref })), discriminator: { propertyName, mapping } }
  }
  return copySchema(schema)
}

function isDiscriminated(schema: JsonSchema): schema is DiscriminatedSchema {
  return Object.hasOwn(schema, DISCRIMINATOR) && Array.isArray(schema.oneOf)
}
