import { z } from 'zod'
import { acceptsNull, mayBeMissingInOutput, MisuseError, param, safeParseAsync, show } from '../../core/index.js'
import type { AnyOptions, Row } from './any-resource.js'
import { ruledFields } from './rules.js'

export interface Schemas {
  readonly id: z.ZodType
  /** The key in the path. */
  readonly path: z.ZodObject
  readonly create: z.ZodObject
  readonly edit: z.ZodObject
  readonly store: z.ZodObject
  /** The fields of requests to `edit` and `store`: where unknown fields are refused, fields of the output too. */
  readonly request: Readonly<Record<'edit' | 'store', z.ZodObject>>
  readonly strictness: Strictness
  readonly output: z.ZodObject
  readonly outputs: z.ZodArray<z.ZodObject>
  /** A record of the list. */
  readonly listed: z.ZodObject
  /** The fields of the output in which a missing value has one form only. */
  readonly missing: MissingFields
  /** The fields of the output with the name of a property of every object, such as `constructor`. */
  readonly inherited: readonly string[]
}

/** Returns the schemas of the fields of an object, which zod itself types as `any`. */
export function shapeOf(schema: z.ZodObject): Readonly<Record<string, z.ZodType>> {
  return schema.shape
}

/** Fields of the output that may be null and not absent, and those that may be absent and not null. */
export type MissingFields = Readonly<Record<'nullable' | 'optional', readonly string[]>>

function missingFields(output: z.ZodObject): MissingFields {
  const fields = Object.entries(shapeOf(output))
  const namesOf = (accepts: (schema: z.core.$ZodType) => boolean): string[] =>
    fields.filter(([, schema]) => accepts(schema)).map(([name]) => name)
  const nullable = namesOf(acceptsNull)
  const optional = namesOf(mayBeMissingInOutput)
  return {
    nullable: nullable.filter((name) => !optional.includes(name)),
    optional: optional.filter((name) => !nullable.includes(name)),
  }
}

/** Returns the schemas of a resource; `listedOf` makes the record of the list from the output. */
export function schemasOf(options: AnyOptions, listedOf: (output: z.ZodObject) => z.ZodObject): Schemas {
  const { id = param.int(), input, changes, output, fields = {} } = options
  const ruled = ruledFields(fields)
  const optional = Object.entries(shapeOf(output)).filter(([name]) => ruled.includes(name))
    .map(([name, schema]) => [name, schema.optional()] as const)
  // A field that has a read rule may be missing in a reply.
  const reply = optional.length === 0 ? output : output.extend(Object.fromEntries(optional))
  const strictness = strictnessOf(options)
  // Only the path names the record that is replaced.
  const edit = input.safeExtend({ id })
  // A new object without the refinements of `input`: those about several fields would see only a part of the record.
  const store = z.object({ ...(changes ?? z.object(input.shape)).partial().shape, id })
  return {
    id,
    path: z.object({ id }),
    create: strictness.create ? input.strict() : input,
    edit,
    store,
    request: {
      edit: strictness.edit ? refusingUnknown(edit, reply) : edit,
      store: strictness.store ? refusingUnknown(store, reply) : store,
    },
    strictness,
    output: reply,
    outputs: z.array(reply),
    listed: listedOf(reply),
    missing: missingFields(output),
    inherited: Object.keys(shapeOf(reply)).filter((name) => name in Object.prototype),
  }
}

/** Returns the declared fields among the arguments, and nothing else: a loose schema lets others through. */
export function declaredFields(schema: z.ZodObject, args: object): Row {
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(args)) if (Object.hasOwn(schema.shape, name)) fields[name] = value
  return fields
}

/** Returns a field, `undefined` if it is not there: every object has a property `constructor` that is no field. */
export function valueOf(fields: Row, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

/** True for a field that has a value, `null` included. */
export function hasValue(fields: Row, name: string): boolean {
  return valueOf(fields, name) !== undefined
}

/** Returns the names of the fields of a replacement that have no value. */
export function unsentFields(schema: z.ZodObject, fields: Row): string[] {
  return Object.keys(schema.shape).filter((name) => name !== 'id' && !hasValue(fields, name))
}

/**
 * Returns the fields that this caller may write; the others are dropped like undeclared ones.
 *
 * A new row still gets the default that a dropped field has.
 */
export async function permittedFields(denied: ReadonlySet<string>, fields: Row, creates?: z.ZodObject): Promise<Row> {
  if (denied.size === 0) return fields
  const kept = Object.entries(fields).filter(([name]) => !denied.has(name))
  const defaults = creates === undefined ? [] : await Promise.all([...denied].map((name) => defaultOf(creates, name)))
  return Object.fromEntries([...kept, ...defaults.flat()])
}

async function defaultOf(schema: z.ZodObject, name: string): Promise<[string, unknown][]> {
  const field = Object.hasOwn(schema.shape, name) ? shapeOf(schema)[name] : undefined
  if (field === undefined) return []
  const result = await safeParseAsync(field, undefined)
  return result.success && result.data !== undefined ? [[name, result.data]] : []
}

/** True for each action that refuses fields which its schema does not have. */
type Strictness = Readonly<Record<'create' | 'edit' | 'store', boolean>>

/**
 * Reads the option `unknownFields`; a strict `input` or `changes` means `'refuse'`.
 *
 * @throws MisuseError `crud_unknown_fields` for another value, and for `'drop'` with a strict schema.
 */
function strictnessOf({ unknownFields, input, changes }: AnyOptions): Strictness {
  const isStrictInput = isStrict(input)
  const isStrictChanges = changes !== undefined && isStrict(changes)
  if (![undefined, 'drop', 'refuse'].includes(unknownFields)) {
    throw unknownFieldsError(`must be 'drop' or 'refuse', not ${show(unknownFields)}.`)
  }
  if (unknownFields === 'drop' && (isStrictInput || isStrictChanges)) {
    const name = isStrictInput ? 'input' : 'changes'
    throw unknownFieldsError(
      `is 'drop', and \`${name}\` is a strict object, which refuses unknown fields: make it a \`z.object\`.`,
    )
  }
  const refuses = unknownFields === 'refuse' || isStrictInput
  return { create: refuses, edit: refuses, store: refuses || isStrictChanges }
}

function unknownFieldsError(problem: string): MisuseError {
  return new MisuseError('crud_unknown_fields', `\`unknownFields\` of crud ${problem}`)
}

function isStrict({ _zod: { def: { catchall } } }: z.ZodObject): boolean {
  return catchall?._zod.def.type === 'never'
}

/**
 * Returns the schema of a change that refuses unknown fields. Those of the output that callers do not write may be
 * sent as they were received: `unknown-fields.ts` compares them with the stored record.
 */
function refusingUnknown(schema: z.ZodObject, output: z.ZodObject): z.ZodObject {
  const readOnly = Object.keys(output.shape).filter((name) => !Object.hasOwn(schema.shape, name))
    .map((name) => [name, READ_ONLY] as const)
  return (readOnly.length === 0 ? schema : schema.safeExtend(Object.fromEntries(readOnly))).strict()
}

/** A field of the body of a change that must be as it is stored. */
export const READ_ONLY = z.unknown().optional().meta({ readOnly: true })

/** Returns true for a field of the body of a change that must be as it is stored. */
export function isReadOnly(field: unknown): boolean {
  return field === READ_ONLY
}
