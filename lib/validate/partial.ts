import { z } from 'zod'
import { MisuseError } from '../errors.js'
import type { PlainMap } from './plain-data.js'
import { zod4 } from './zod-version.js'

const partials = new WeakMap<z.core.$ZodObject, z.ZodObject>()

/**
 * The schema that checks only the keys that were sent and fills in no default.
 *
 * Where every declared key was sent that is the schema itself. Otherwise a refinement of the whole does not run: it would
 * judge a record of which it sees a part. Of a discriminated union the discriminator has to be sent, for nothing else says
 * which option is meant.
 *
 * @throws MisuseError `validate_partial` for a schema that declares no keys.
 */
export function partialFor(schema: z.core.$ZodType, sent: PlainMap): z.core.$ZodType {
  const object = objectFor(schema, sent)
  // Without an option that fits, the whole union knows best what to say about it.
  if (object === undefined) return schema
  const whole = Object.keys(object._zod.def.shape).every((key) => key in sent)
  return whole ? schema : partialOf(object)
}

function objectFor(schema: z.core.$ZodType, sent: PlainMap): z.core.$ZodObject | undefined {
  if (schema instanceof z.core.$ZodObject) return schema
  if (schema instanceof z.core.$ZodDiscriminatedUnion) {
    const { discriminator, options } = schema._zod.def
    const option = options.find(({ _zod }) => _zod.propValues?.[discriminator]?.has(sent[discriminator] as z.core.util.Primitive))
    return option === undefined ? undefined : objectFor(option, sent)
  }
  throw new MisuseError('validate_partial', 'Only a z.object or a discriminated union of them can be validated in part: ' +
    'of any other schema nobody can tell which keys belong to which value.')
}

/** Returns the schema of an object whose fields may all be missing, in which no default is filled in and no check of the whole runs. */
export function partialOf(object: z.core.$ZodObject): z.ZodObject {
  const known = partials.get(object)
  if (known !== undefined) return known
  const { def } = object._zod
  const fields = Object.entries(def.shape).map(([key, innerType]) => [key, new IfSent({ type: 'optional', innerType })] as const)
  const partial = new z.ZodObject({ ...def, shape: Object.fromEntries(fields), checks: [] })
  partials.set(object, partial)
  return partial
}

/** `z.optional` would go on and fill in a default of the schema inside. */
const IfSent = zod4().core.$constructor<z.ZodOptional>('ResourceryIfSent', (schema, def) => {
  z.ZodOptional.init(schema, def)
  schema._zod.optin = 'optional'
  schema._zod.parse = (payload, context) => (payload.value === undefined ? payload : def.innerType._zod.run(payload, context))
})
