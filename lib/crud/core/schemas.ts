import { z } from 'zod'
import { acceptsNull, mayBeMissingInOutput, param, safeParseAsync } from '../../core/index.js'
import type { AnyOptions, Row } from './options.js'
import { ruledFields } from './rules.js'
import { refusingUnknown, strictnessOf, type Strictness } from './strictness.js'

/** The schemas of the actions. */
export interface Schemas {
  /** The key. */
  readonly id: z.ZodType
  /** The key in the path. */
  readonly path: z.ZodObject
  readonly create: z.ZodObject
  readonly edit: z.ZodObject
  readonly store: z.ZodObject
  /** The fields of requests to `edit` and `store`: where unknown fields are refused, fields of the output too. */
  readonly sent: Readonly<Record<'edit' | 'store', z.ZodObject>>
  readonly strictness: Strictness
  readonly output: z.ZodObject
  /** A list of outputs. */
  readonly outputs: z.ZodArray<z.ZodObject>
  /** A record of the list. */
  readonly listed: z.ZodObject
  /** The fields of the output in which a missing value has one form only. */
  readonly missing: MissingFields
}

/** Fields of the output that may be null and not absent, and those that may be absent and not null. */
export interface MissingFields {
  readonly nullable: readonly string[]
  readonly optional: readonly string[]
}

function missingFields({ shape }: z.ZodObject): MissingFields {
  const fields = Object.entries(shape as Readonly<Record<string, z.core.$ZodType>>).map(([name, schema]) => ({
    name,
    isNullable: acceptsNull(schema),
    isOptional: mayBeMissingInOutput(schema),
  }))
  return {
    nullable: fields.filter(({ isNullable, isOptional }) => isNullable && !isOptional).map(({ name }) => name),
    optional: fields.filter(({ isNullable, isOptional }) => isOptional && !isNullable).map(({ name }) => name),
  }
}

/** Returns the schemas of a resource; `listedOf` makes the record of the list from the output. */
export function schemasOf(options: AnyOptions, listedOf: (output: z.ZodObject) => z.ZodObject): Schemas {
  const { id = param.int(), input, changes, output, fields = {} } = options
  const ruled = ruledFields(fields, 'read').filter((field) => field in output.shape)
  const optional = ruled.map((field) => [field, (output.shape[field] as z.ZodType).optional()] as const)
  const sent = ruled.length === 0 ? output : output.extend(Object.fromEntries(optional))
  const strictness = strictnessOf(options)
  const edit = withId(input, id)
  // A new object without the refinements of `input`: those about several fields would see only a part of the record.
  const store = z.object({ ...(changes ?? z.object(input.shape)).partial().shape, id })
  return {
    id,
    path: z.object({ id }),
    create: strictness.creations ? input.strict() : input,
    edit,
    store,
    sent: {
      edit: strictness.replacements ? refusingUnknown(edit, sent) : edit,
      store: strictness.changes ? refusingUnknown(store, sent) : store,
    },
    strictness,
    output: sent,
    outputs: z.array(sent),
    listed: listedOf(sent),
    missing: missingFields(output),
  }
}

/** Returns a replacement's schema: only the path names the record that it replaces. */
function withId(input: z.ZodObject, id: z.ZodType): z.ZodObject {
  return 'id' in input.shape ? z.object({ ...input.shape, id }) : input.safeExtend({ id })
}

/** Returns the declared fields among the arguments, and nothing else: a loose schema lets others through. */
export function declaredFields(schema: z.ZodObject, args: object): Row {
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(args)) if (Object.hasOwn(schema.shape, name)) fields[name] = value
  return fields
}

/** True for a field that has a value, `null` included. */
export function hasValue(fields: Row, name: string): boolean {
  return Object.hasOwn(fields, name) && fields[name] !== undefined
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
  if (!Object.hasOwn(schema.shape, name)) return []
  const result = await safeParseAsync(schema.shape[name] as z.ZodType, undefined)
  return result.success && result.data !== undefined ? [[name, result.data]] : []
}
