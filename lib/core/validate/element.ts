import { z } from 'zod'
import { isMap } from './plain-data.js'
import { afterParse, extendClass, run, wrapParse } from './zod-schemas.js'

/** An element that was read. */
interface Known {
  readonly isChange: boolean
  /** The element as it was sent. */
  readonly sent: object
}

const elements = new WeakMap<object, Known>()

/** True if an element that {@link elementOf} has read changes a record; otherwise it creates one. */
export function isChange(element: object): boolean {
  return elements.get(element)?.isChange === true
}

/** Returns an element as it was sent, without the defaults of its schema. */
export function sentElement(element: object): object {
  return elements.get(element)?.sent ?? element
}

/** Returns a copy of an element that changes a record, with another spelling of its id. */
export function withId<Element extends object>(element: Element, id: unknown): Element {
  const copy = { ...element, id }
  elements.set(copy, { isChange: true, sent: sentElement(element) })
  return copy
}

/*
 * A union to documents. The `id` chooses the option, so that faults are those of one option, at their own fields.
 */
const ElementSchema = extendClass<z.ZodUnion<readonly [z.ZodObject, z.ZodObject]>>(
  z.ZodUnion,
  'ResourceryElement',
  (schema) =>
    wrapParse(schema, () => (payload, context) => {
      const [created, change] = schema._zod.def.options
      const sent: unknown = payload.value
      if (!isMap(sent)) return run(created, payload, context)
      const isNew = sent.id === undefined
      return afterParse(run(isNew ? created : change, payload, context), (read) => {
        if (read.issues.length > 0 || !isMap(read.value)) return read
        if (isNew) elements.set(read.value, { isChange: false, sent })
        else read.value = sentFields(read.value, sent)
        return read
      })
    }),
)

/** Returns the fields that were sent, marked as a change: defaults are for new records. */
function sentFields(read: object, sent: object): object {
  const fields = Object.fromEntries(Object.entries(read).filter(([name]) => Object.hasOwn(sent, name)))
  elements.set(fields, { isChange: true, sent })
  return fields
}

/** Makes the schema of an element that changes a record if it has an `id`, and creates one otherwise. */
export function elementOf(created: z.ZodObject, change: z.ZodObject): z.ZodType<Readonly<Record<string, unknown>>> {
  return new ElementSchema({ type: 'union', options: [created, change], inclusive: true })
}

/**
 * Returns the two schemas of the elements of a list that {@link elementOf} has made: of one that creates a record and
 * of one that changes it; `undefined` for any other schema.
 */
export function elementSchemasOf(schema: z.core.$ZodType): readonly [z.ZodObject, z.ZodObject] | undefined {
  if (schema instanceof z.ZodOptional) return elementSchemasOf(schema._zod.def.innerType)
  const element = schema instanceof z.ZodArray ? schema._zod.def.element : undefined
  return element instanceof ElementSchema ? element._zod.def.options : undefined
}
