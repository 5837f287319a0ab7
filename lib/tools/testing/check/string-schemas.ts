import { accepts } from '../../openapi/examples.js'
import type { Resolve } from '../../openapi/fields.js'
import type { JsonSchema } from '../../openapi/types.js'

/** Returns the types that a schema names, those of its variants included. */
export function typesIn(schema: JsonSchema, resolve: Resolve): readonly string[] {
  const json = resolve(schema)
  const parts = json.anyOf ?? json.oneOf ?? []
  return [...[json.type ?? []].flat(), ...parts.flatMap((one) => typesIn(one, resolve))]
}

/** Returns true for a schema of strings, or of anything. */
export function mayBeString(schema: JsonSchema, resolve: Resolve): boolean {
  const types = typesIn(schema, resolve)
  return types.length === 0 || types.includes('string')
}

/** Strings of all kinds of characters; those of a pattern for trimmed strings are among them. */
const ANY_TEXTS = ['=a(1) 5', 'O\'Brien & <b>"x"</b> $ne; --', '\u00e4 \u6f22 \u{1f600}']

/** Returns true for a schema of strings without a form of their own. */
export function isFreeText(schema: JsonSchema, resolve: Resolve): boolean {
  const { type, pattern, ...json } = resolve(schema)
  return type === 'string' && ['format', 'enum', 'const'].every((keyword) => json[keyword] === undefined)
    && ANY_TEXTS.every((text) => accepts({ type, pattern }, text))
}
