import type { z } from 'zod'
import { definitionOf, mayBeMissingInOutput } from '../../core/index.js'
import type { JsonSchema } from './types.js'

/**
 * Corrects the keywords of a reply for values that are `undefined`: JSON leaves such fields out, and has null for such
 * items of a list.
 */
export function correctUndefined({ _zod: { def } }: z.core.$ZodTypes, json: Record<string, unknown>): void {
  if (def.type === 'object') limitRequired(json, (name) => !mayBeUndefined(def.shape[name]))
  if (def.type === 'record') limitRequired(json, () => !mayBeUndefined(def.valueType))
  if (def.type === 'array' && mayBeUndefined(def.element)) json.items = orNull(json.items as JsonSchema)
  if (def.type === 'tuple') {
    const items = (json.prefixItems ?? []) as readonly JsonSchema[]
    json.prefixItems = items.map((item, index) => (mayBeUndefined(def.items[index]) ? orNull(item) : item))
  }
}

/** Keeps the required fields of an object for which a condition is true. */
export function limitRequired(json: Record<string, unknown>, isRequired: (name: string) => boolean): void {
  const required = ((json.required ?? []) as readonly string[]).filter(isRequired)
  if (required.length > 0) json.required = required
  else delete json.required
}

/** An empty schema accepts null already. */
function orNull(schema: JsonSchema): JsonSchema {
  return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] }
}

/** Returns true if `undefined` is among the values that a schema returns. */
function mayBeUndefined(schema: z.core.$ZodType | undefined): boolean {
  if (schema === undefined) return false
  const { type, innerType, options, out } = definitionOf(schema)
  if (['any', 'unknown', 'undefined', 'void'].includes(type) || mayBeMissingInOutput(schema)) return true
  if (type === 'union') return (options as readonly z.core.$ZodType[]).some(mayBeUndefined)
  if (type === 'pipe') return mayBeUndefined(out as z.core.$ZodType)
  return ['nullable', 'readonly', 'catch'].includes(type) && mayBeUndefined(innerType as z.core.$ZodType)
}
