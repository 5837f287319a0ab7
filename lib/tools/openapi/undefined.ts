import type { z } from 'zod'
import { definitionOf, isList, isObject, isSchema, mayBeMissingInOutput } from '../../core/index.js'

/** The keywords of a schema that zod has converted, which may be changed. */
export type Keywords = z.core.JSONSchema.BaseSchema

/**
 * Corrects the keywords of a reply for values that are `undefined`: JSON leaves such fields out, and has null for such
 * items of a list.
 */
export function correctUndefined({ _zod: { def } }: z.core.$ZodTypes, json: Keywords): void {
  if (def.type === 'object') limitRequired(json, (name) => !mayBeUndefined(def.shape[name]))
  if (def.type === 'record') limitRequired(json, () => !mayBeUndefined(def.valueType))
  if (def.type === 'array' && mayBeUndefined(def.element)) json.items = orNull(json.items)
  if (def.type === 'tuple') {
    const items = json.prefixItems ?? []
    json.prefixItems = items.map((item, index) => (mayBeUndefined(def.items[index]) ? orNull(item) : item))
  }
}

/** Keeps the required fields of an object for which a condition is true. */
export function limitRequired(json: Keywords, isRequired: (name: string) => boolean): void {
  const required = (json.required ?? []).filter(isRequired)
  if (required.length > 0) json.required = required
  else delete json.required
}

/** An empty schema accepts null already. */
function orNull(schema: unknown): Keywords {
  if (!isObject(schema)) return {}
  return Object.keys(schema).length === 0 ? schema : { anyOf: [schema, { type: 'null' }] }
}

/** Returns true if `undefined` is among the values that a schema returns. */
function mayBeUndefined(schema: unknown): boolean {
  if (!isSchema(schema)) return false
  const { type, innerType, options, out } = definitionOf(schema)
  if (['any', 'unknown', 'undefined', 'void'].includes(type) || mayBeMissingInOutput(schema)) return true
  if (type === 'union') return isList(options) && options.some(mayBeUndefined)
  if (type === 'pipe') return mayBeUndefined(out)
  return ['nullable', 'readonly', 'catch'].includes(type) && mayBeUndefined(innerType)
}
