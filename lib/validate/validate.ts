import { z } from 'zod'
import { checkOptionNames } from '../options.js'
import { compileRules } from './compile-rules.js'
import { parseNow } from './parse.js'
import { partialFor } from './partial.js'
import { isMap, toPlainData, type PlainMap } from './plain-data.js'
import type { Consistent, Ruled, Rules } from './rules.js'

export interface ValidateOptions<Partly extends boolean = boolean> {
  /**
   * Checks and returns only the keys that were sent, and fills in no default: what a PATCH needs.
   *
   * @default false
   */
  readonly partial?: Partly
}

type Validated<T, Partly extends boolean> = Partly extends true ? Partial<T> : T

/**
 * A typed object with the declared fields and nothing else.
 *
 * An optional field that was omitted is `null` under rules, and what zod says under a schema. With `partial`, a refinement of
 * the whole runs only when every declared key was sent, and a discriminated union needs its discriminator.
 *
 * @throws ValidationError (422) with every message by field, under `_` those of the whole.
 * @throws HttpError 400 `unreadable` when the data is nested deeper than 32.
 * @throws MisuseError when the rules are wrong, when first used, or the schema is asynchronous; `option_unknown` for any other option.
 * @example
 * const { name, age } = validate(RequestParam.body(req), {
 *   name: [['required', 'Name is required'], ['lengthMin', 2, 'Too short']],
 *   age: [['optional'], ['integer', 'A whole number']],
 * })
 */
export function validate<S extends z.core.$ZodType, Partly extends boolean = false>(
  data: unknown, schema: S, options?: ValidateOptions<Partly>,
): Validated<z.output<S>, Partly>
export function validate<const R extends Rules, Partly extends boolean = false>(
  data: unknown, rules: R & Consistent<R>, options?: ValidateOptions<Partly>,
): Validated<Ruled<R>, Partly>
export function validate(data: unknown, rulesOrSchema: z.core.$ZodType | Rules, options: ValidateOptions = {}): unknown {
  checkOptionNames('validate', options, ['partial'])
  const { partial = false } = options
  const schema = rulesOrSchema instanceof z.core.$ZodType ? rulesOrSchema : compileRules(rulesOrSchema)
  const plain = toPlainData(isMap(data) ? { ...data } : data)
  if (!partial || !isMap(plain)) return parseNow(schema, plain)
  const sent = withoutUndefined(plain)
  return parseNow(partialFor(schema, sent), sent)
}

/** What is undefined was not sent, although its key is there. */
function withoutUndefined(map: PlainMap): PlainMap {
  for (const key of Object.keys(map)) {
    if (map[key] === undefined) delete map[key]
  }
  return map
}
