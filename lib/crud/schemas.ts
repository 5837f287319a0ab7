import { z } from 'zod'
import { param } from '../param.js'
import { allowEarlyCheck } from '../resource/respond.js'
import { ruledFields } from './field-rules.js'
import type { LooseOptions, LooseRow } from './options.js'
import { nodeOf } from './tree/node.js'

export interface Schemas {
  readonly id: z.ZodType
  /** The path alone. */
  readonly path: z.ZodObject
  readonly create: z.ZodObject
  readonly edit: z.ZodObject
  readonly store: z.ZodObject
  readonly output: z.ZodObject
  /** Several of them. */
  readonly outputs: z.ZodArray<z.ZodObject>
  /** What leaves of each row of a list. */
  readonly listed: z.ZodObject
}

/** What each action reads and sends. */
export function schemasOf({ id = param.int(), input, changes, output, fields = {}, tree }: LooseOptions): Schemas {
  const ruled = ruledFields(fields, 'read').filter((field) => field in output.shape)
  const sent = ruled.length === 0 ? output : output.extend(Object.fromEntries(ruled.map((field) => [field, (output.shape[field] as z.ZodType).optional()])))
  return {
    id,
    path: z.object({ id }),
    create: input,
    edit: withId(input, id),
    // Of a new object: a rule about several fields would judge a record of which it sees a part.
    store: z.object({ ...(changes ?? z.object(input.shape)).partial().shape, id }),
    output: allowEarlyCheck(sent),
    outputs: allowEarlyCheck(z.array(sent)),
    listed: tree === undefined ? sent : nodeOf(sent),
  }
}

/** In a replacement the path alone says which record it is. */
function withId(input: z.ZodObject, id: z.ZodType): z.ZodObject {
  return 'id' in input.shape ? z.object({ ...input.shape, id }) : input.safeExtend({ id })
}

/** The declared fields among the arguments, and nothing else: a loose schema lets others through. */
export function declared(schema: z.ZodObject, args: object): LooseRow {
  return Object.fromEntries(Object.entries(args).filter(([name]) => Object.hasOwn(schema.shape, name)))
}
