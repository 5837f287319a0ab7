import { z } from 'zod'
import { isMap } from './plain-data.js'
import { afterParse, extendClass, wrapParse } from './zod-schemas.js'

/** A field whose value must be equal to that of another field of the request, declared or not. */
export interface Equality {
  readonly field: string
  readonly other: string
  readonly message: string
}

type RuledObjectDef = z.core.$ZodObjectDef & { readonly equalities?: readonly Equality[] }

/**
 * An object whose fields may have to be equal to others, which the result does not have. Copies of its definition, also
 * with other fields, keep this.
 */
const RuledObject = extendClass<z.ZodObject>(z.ZodObject, 'ResourceryRuledObject', (schema) => {
  const equalities = equalitiesOf(schema)
  wrapParse(schema, (parse) => (payload, context) => {
    const sent: unknown = payload.value
    return afterParse(parse(payload, context), (read) => {
      if (!isMap(sent)) return read
      for (const { field, other, message } of equalities) {
        const value = sent[field]
        if (value === undefined || value === null || value === '' || value === sent[other]) continue
        read.issues.push({ code: 'custom', path: [field], message, input: value, inst: schema, continue: true })
      }
      return read
    })
  })
})

/** Makes an object schema of fields some of which must be equal to others. */
export function objectOfRules(
  shape: z.core.$ZodShape,
  error: z.core.$ZodErrorMap,
  equalities: readonly Equality[],
): z.ZodObject {
  const def: RuledObjectDef = { type: 'object', shape, error, equalities }
  return new RuledObject(def)
}

/** Returns the equalities of an object schema; most have none. */
export function equalitiesOf(schema: z.core.$ZodType): readonly Equality[] {
  const { equalities = [] }: { readonly type: string; readonly equalities?: readonly Equality[] } = schema._zod.def
  return equalities
}

/** Makes an object schema of the same class with another definition. */
export function objectLike(object: z.core.$ZodObject, def: z.core.$ZodObjectDef): z.ZodObject {
  return equalitiesOf(object).length === 0 ? new z.ZodObject(def) : new RuledObject(def)
}
