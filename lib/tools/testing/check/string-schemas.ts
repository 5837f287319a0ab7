import type { Resolve } from '../../openapi/fields.js'
import { READABLE } from '../../openapi/strings.js'
import type { JsonSchema } from '../../openapi/types.js'

/** Returns the types that a schema names, those of its variants included. */
export function typesIn(schema: JsonSchema, resolve: Resolve): readonly string[] {
  const json = resolve(schema)
  const parts = (json.anyOf ?? json.oneOf ?? []) as readonly JsonSchema[]
  return [...[json.type ?? []].flat(), ...parts.flatMap((one) => typesIn(one, resolve))]
}

/** Returns true for a schema of strings, or of anything. */
export function mayBeString(schema: JsonSchema, resolve: Resolve): boolean {
  const types = typesIn(schema, resolve)
  return types.length === 0 || types.includes('string')
}

/** Returns true for a schema of any string that the server reads. */
export function isFreeText(schema: JsonSchema, resolve: Resolve): boolean {
  const { type, pattern = READABLE, ...json } = resolve(schema)
  return type === 'string' && pattern === READABLE
    && ['format', 'enum', 'const'].every((keyword) => json[keyword] === undefined)
}
