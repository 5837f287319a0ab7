import { isObject, propertyOf, mapValues, type ChangeFields, type MountedRoute,
  type PlainMap } from '../../core/index.js'
import type { Resolve } from './fields.js'
import type { Models } from './models.js'
import type { JsonSchema } from './types.js'

/** Returns true if the empty string of a field is read as something else, so that its schema never sees it. */
export function isReplaced(change: ChangeFields | undefined, name: string): boolean {
  return change !== undefined && change({ [name]: '' })[name] !== ''
}

/** Returns the schema of an object, and of the objects inside it, with the empty strings that a change replaces. */
export function withEmptyStrings(schema: JsonSchema, change: ChangeFields, resolve: Resolve): JsonSchema {
  const object = resolve(schema)
  const { properties } = object
  if (properties === undefined) return schema
  const changed = mapValues(properties,
    (field, name) => isReplaced(change, name) ? orEmpty(field) : withInside(field, change, { name, resolve }))
  return Object.keys(properties).every((name) => changed[name] === properties[name])
    ? schema
    : { ...object, properties: changed }
}

interface Inside {
  readonly name: string
  readonly resolve: Resolve
}

/** Returns the schema of a field with a change applied inside it: an object, or each object of a list. */
function withInside(field: JsonSchema, change: ChangeFields, { name, resolve }: Inside): JsonSchema {
  const ofObject: ChangeFields = (fields) => mapIn(change({ [name]: fields }), name)
  const ofItem: ChangeFields = (fields) => mapIn(change({ [name]: [fields] })[name], 0)
  if (field.items === undefined) return withEmptyStrings(field, ofObject, resolve)
  const items = withEmptyStrings(field.items, ofItem, resolve)
  return items === field.items ? field : { ...field, items }
}

/** Returns the object in a property, an empty one if there is none. */
function mapIn(value: unknown, name: string | number): Readonly<PlainMap> {
  const inner = propertyOf(value, name)
  return isObject(inner) ? inner : {}
}

const EMPTY: JsonSchema = { type: 'string', const: '' }

function orEmpty({ description, default: preset, ...field }: JsonSchema): JsonSchema {
  const { anyOf, ...others } = field
  const variants = anyOf !== undefined && Object.keys(others).length === 0 ? anyOf : [field]
  return {
    ...(description !== undefined && { description }),
    ...(preset !== undefined && { default: preset }),
    anyOf: [...variants, EMPTY],
  }
}

/** Returns the schema of a body or of a list of such bodies. */
export function withList(element: JsonSchema, { reading }: MountedRoute, models: Models): JsonSchema {
  if (reading?.list === undefined) return element
  const { items } = models.resolve(models.of(reading.list.input, 'input')).properties ?? {}
  return { anyOf: [element, { ...items, items: element }] }
}
