import type { z } from 'zod'
import { acceptsNull, emptyMap, isMap, mayBeMissing, type ChangeFields, type PlainMap } from '../../../core/index.js'

/** Returns a function that leaves out empty strings, apart from those of some names. */
export function withoutEmpty(kept: readonly string[]): ChangeFields {
  return (fields) => replaceEmpty(fields, (name) => (kept.includes(name) ? '' : undefined))
}

/**
 * Returns a function that replaces the empty strings among the fields of an object: by null where a field accepts null,
 * otherwise they are left out where a field may be.
 *
 * A partial update does not change a field that is left out. There an empty string that cannot be null stays, and its
 * schema accepts or refuses it.
 */
export function unsetter({ shape }: z.ZodObject, partial: boolean): ChangeFields {
  const replacements = new Map<string, Replacement>()
  for (const [name, schema] of Object.entries(shape)) {
    const isOptional = !partial && mayBeMissing(schema as z.core.$ZodType)
    replacements.set(name, acceptsNull(schema as z.core.$ZodType) ? null : isOptional ? undefined : '')
  }
  return (fields) => replaceEmpty(fields, (name) => (replacements.has(name) ? replacements.get(name) : ''))
}

/** Returns a function that changes each item of the list `items`. */
export function inItems(change: ChangeFields): ChangeFields {
  const changeItem = (item: unknown): unknown => (isMap(item) ? change(item) : item)
  return (fields) => (Array.isArray(fields.items) ? copyOf({ ...fields, items: fields.items.map(changeItem) }) : fields)
}

/** Returns a function that changes the object in the field `data`. */
export function inData(change: ChangeFields): ChangeFields {
  return (fields) => (isMap(fields.data) ? copyOf({ ...fields, data: change(fields.data) }) : fields)
}

/** The replacement of an empty string; `undefined` omits the field. */
type Replacement = '' | null | undefined

function replaceEmpty(fields: Readonly<PlainMap>, by: (name: string) => Replacement): Readonly<PlainMap> {
  const names = Object.keys(fields).filter((name) => fields[name] === '' && by(name) !== '')
  if (names.length === 0) return fields
  const copy = copyOf(fields)
  for (const name of names) {
    const replacement = by(name)
    if (replacement === undefined) Reflect.deleteProperty(copy, name)
    else copy[name] = replacement
  }
  return copy
}

/** Returns a copy without a prototype, as fields are. */
function copyOf(fields: Readonly<PlainMap>): PlainMap {
  return Object.assign(emptyMap(), fields)
}
