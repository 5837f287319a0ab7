import { z } from 'zod'
import { chain } from '../base/promises.js'
import { isMap } from './plain-data.js'
import { run, wrapParse, zod4, type Parse } from './zod-schemas.js'

/** Elements that were read as changes of a record. */
const changeElements = new WeakSet()

/** True if an element that {@link elementOf} has read changes a record; otherwise it creates one. */
export function isChange(element: object): boolean {
  return changeElements.has(element)
}

/** Returns a copy of an element that changes a record, with another spelling of its id. */
export function withId<Element extends object>(element: Element, id: unknown): Element {
  const copy = { ...element, id }
  changeElements.add(copy)
  return copy
}

/*
 * A union to documents. The `id` chooses the option, so that faults are those of one option, at their own fields.
 */
const Element = zod4().core.$constructor<z.ZodUnion<readonly [z.ZodObject, z.ZodObject]>>(
  'ResourceryElement',
  (schema, def) => {
    z.ZodUnion.init(schema, def)
    wrapParse(schema, () => (payload, context) => {
      const [created, change] = schema._zod.def.options
      const sent: unknown = payload.value
      if (!isMap(sent) || sent.id === undefined) return run(created, payload, context)
      return chain(run(change, payload, context), (read) => {
        if (read.issues.length === 0) read.value = sentFields(read.value as object, sent)
        return read
      }) as ReturnType<Parse>
    })
  },
)

/** Returns the fields that were sent, marked as a change: defaults are for new records. */
function sentFields(read: object, sent: object): object {
  const fields = Object.fromEntries(Object.entries(read).filter(([name]) => Object.hasOwn(sent, name)))
  changeElements.add(fields)
  return fields
}

/** Makes the schema of an element that changes a record if it has an `id`, and creates one otherwise. */
export function elementOf(created: z.ZodObject, change: z.ZodObject): z.ZodType<Readonly<Record<string, unknown>>> {
  return new Element({ type: 'union', options: [created, change], inclusive: true })
}
