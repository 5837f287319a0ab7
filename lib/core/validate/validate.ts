import { z } from 'zod'
import { memoize } from '../base/memoize.js'
import { MisuseError } from '../base/errors.js'
import { checkOptionNames } from '../base/options.js'
import { compileRules } from './compile-rules.js'
import { parseNow } from './parse.js'
import { isMap, toPlainData, type PlainMap } from './plain-data.js'
import { objectLike } from './ruled-object.js'
import type { Consistent, Ruled, Rules } from './rules.js'
import { allowMissing, discriminatorValues, extendClass, run, wrapParse } from './zod-schemas.js'

interface ValidateOptions<Partly extends boolean = boolean> {
  /** Checks and returns only the keys that were sent, and fills in no default, as a PATCH needs. @default false */
  readonly partial?: Partly | undefined
}

type Valid<S> = S extends z.core.$ZodType ? z.output<S> : S extends Rules ? Ruled<S> : never
type Validated<S, Partly extends boolean> = Partly extends true ? Partial<Valid<S>> : Valid<S>

/**
 * Returns a typed object with the declared fields and nothing else.
 *
 * An optional field that was omitted is `null` under rules; under a schema zod decides. With `partial`, a refinement of
 * the whole runs only when every declared key was sent, and a discriminated union needs its discriminator.
 *
 * @throws ValidationError (422) with every message by field, under `_` those of the whole.
 * @throws HttpError 400 `unreadable` when the data is nested deeper than 32 levels.
 * @throws MisuseError at the first call with wrong rules or an asynchronous schema; `option_unknown` for an unknown
 * option.
 * @example
 * const { name, age } = validate(RequestParam.body(req), {
 *   name: [['required', 'Name is required'], ['lengthMin', 2, 'Too short']],
 *   age: [['optional'], ['integer', 'A whole number']],
 * })
 */
export function validate<const S extends z.core.$ZodType | Rules, Partly extends boolean = false>(
  data: unknown,
  rulesOrSchema: S & (S extends Rules ? Consistent<S> : unknown),
  options: ValidateOptions<Partly> = {},
): Validated<S, Partly> {
  checkOptionNames('validate', options, ['partial'])
  const { partial = false } = options
  const schema = rulesOrSchema instanceof z.core.$ZodType ? rulesOrSchema : compileRules(rulesOrSchema)
  const plain = toPlainData(isMap(data) ? { ...data } : data)
  const sent = partial && isMap(plain) ? withoutUndefined(plain) : undefined
  const valid = sent === undefined ? parseNow(schema, plain) : parseNow(partialFor(schema, sent), sent)
  return valid as Validated<S, Partly>
}

/** Removes the keys whose value is undefined: they were not sent. */
function withoutUndefined(map: PlainMap): PlainMap {
  for (const key of Object.keys(map)) {
    if (map[key] === undefined) delete map[key]
  }
  return map
}

/**
 * Returns a schema that checks only the keys that were sent and fills in no default.
 *
 * If every declared key was sent, it is the schema itself. Otherwise a refinement of the whole does not run, since it
 * would see a part of the record only. Of a discriminated union the discriminator must be sent: it selects the
 * option.
 *
 * @throws MisuseError `validate_partial` for a schema that declares no keys.
 */
function partialFor(schema: z.core.$ZodType, sent: PlainMap): z.core.$ZodType {
  const object = objectFor(schema, sent)
  // If no option fits, the union itself makes the message.
  if (object === undefined) return schema
  const whole = Object.keys(object._zod.def.shape).every((key) => key in sent)
  return whole ? schema : partialOf(object)
}

function objectFor(schema: z.core.$ZodType, sent: PlainMap): z.core.$ZodObject | undefined {
  if (schema instanceof z.core.$ZodObject) return schema
  if (schema instanceof z.core.$ZodDiscriminatedUnion) {
    const { discriminator, options } = schema._zod.def
    const option = options.find((candidate) => discriminatorValues(candidate, discriminator).has(sent[discriminator]))
    return option === undefined ? undefined : objectFor(option, sent)
  }
  throw new MisuseError(
    'validate_partial',
    '`partial` was used with a schema that declares no keys. Use a z.object, or a discriminated union of them.',
  )
}

/**
 * Returns a schema of the same object in which every field may be missing: it fills in no default and runs no check of
 * the whole.
 */
export const partialOf = memoize((object: z.core.$ZodObject): z.ZodObject => {
  const def = object._zod.def
  const fields = Object.entries(def.shape).map(
    ([key, innerType]) => [key, new IfSent({ type: 'optional', innerType })] as const,
  )
  return objectLike(object, { ...def, shape: Object.fromEntries(fields), checks: [] })
})

/** An optional value; `z.optional` would fill in a default of the schema inside. */
const IfSent = extendClass<z.ZodOptional>(z.ZodOptional, 'ResourceryIfSent', (schema, def) => {
  allowMissing(schema)
  wrapParse(
    schema,
    () => (payload, context) => (payload.value === undefined ? payload : run(def.innerType, payload, context)),
  )
})
