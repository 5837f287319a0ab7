import { z } from 'zod'
import { MisuseError, show } from '../../core/index.js'
import type { AnyOptions } from './options.js'

/** True for each kind of write that refuses fields which its schema does not have. */
export interface Strictness {
  readonly creations: boolean
  readonly replacements: boolean
  readonly changes: boolean
}

/**
 * Reads the option `unknownFields`; a strict `input` or `changes` means `'refuse'`.
 *
 * @throws MisuseError `crud_unknown_fields` for another value, and for `'drop'` with a strict schema.
 */
export function strictnessOf({ unknownFields, input, changes }: AnyOptions): Strictness {
  const isStrictInput = isStrict(input)
  const isStrictChanges = changes !== undefined && isStrict(changes)
  if (![undefined, 'drop', 'refuse'].includes(unknownFields)) {
    throw misfit(`must be 'drop' or 'refuse', not ${show(unknownFields)}.`)
  }
  if (unknownFields === 'drop' && (isStrictInput || isStrictChanges)) {
    const name = isStrictInput ? 'input' : 'changes'
    throw misfit(`is 'drop', and \`${name}\` is a strict object, which refuses unknown fields: make it a \`z.object\`.`)
  }
  const isEach = unknownFields === 'refuse' || isStrictInput
  return { creations: isEach, replacements: isEach, changes: isEach || isStrictChanges }
}

function misfit(problem: string): MisuseError {
  return new MisuseError('crud_unknown_fields', `\`unknownFields\` of crud ${problem}`)
}

function isStrict({ _zod: { def: { catchall } } }: z.ZodObject): boolean {
  return catchall?._zod.def.type === 'never'
}

/**
 * Returns the schema of a change that refuses unknown fields. Those of the output that callers do not write may be
 * sent as they were received: `unknown-fields.ts` compares them with the stored record.
 */
export function refusingUnknown(schema: z.ZodObject, output: z.ZodObject): z.ZodObject {
  const readOnly = readOnlyFields(schema, output).map((name) => [name, READ_ONLY] as const)
  return (readOnly.length === 0 ? schema : schema.safeExtend(Object.fromEntries(readOnly))).strict()
}

const READ_ONLY = z.unknown().optional().meta({ readOnly: true })

function readOnlyFields(schema: z.ZodObject, output: z.ZodObject): string[] {
  return Object.keys(output.shape).filter((name) => !Object.hasOwn(schema.shape, name))
}
