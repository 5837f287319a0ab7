import type { Request } from 'express'
import { z } from 'zod'
import { bodyFieldsOf } from '../request/fields.js'
import { MisuseError, ValidationError } from '../base/errors.js'
import { messageOf } from '../base/messages/messages.js'
import { checkOptionNames } from '../base/options.js'
import { hasAtMost } from '../validate/strings.js'
import { errorWith } from '../validate/issue-messages.js'
import { memoize } from '../base/memoize.js'
import { parse, parseNow, toValidationError } from '../validate/parse.js'
import { zod4 } from '../validate/zod-schemas.js'
import { synchronous } from '../validate/user-functions.js'
import { queryOf } from '../request/query.js'

export interface IdsOptions<Id extends z.ZodType = z.ZodType<string>> {
  /** The most ids of one call. @default 100 */
  readonly max?: number | undefined
  /** The schema of one id. @default a string of 1 to 64 characters */
  readonly of?: Id | undefined
}

const LONGEST_ID = 64

/** An id as a string; a whole number from JSON is converted. */
const anyId: z.ZodType<string> = zod4()
  .union([z.string(), z.int().transform(synchronous((id: number) => String(id)))], {
    error: errorWith(messageOf('field.type.id')),
  })
  .refine(
    synchronous((id: string) => id !== '' && hasAtMost(LONGEST_ID, id)),
    { error: errorWith(messageOf('field.id_length', { max: LONGEST_ID })) },
  )

const schemaFor = memoize((of: z.ZodType) =>
  z.object({ ids: z.array(of, { error: errorWith(messageOf('field.type.ids')) }) })
)

/**
 * Returns the ids of a bulk call, in order and without duplicates.
 *
 * @throws ValidationError for no ids, more than `max`, or one that is not valid.
 * @throws HttpError 415 when the ids can only be in a body that no parser has read.
 * @throws MisuseError `ids_max` when `max` is no positive whole number; `option_unknown` for any other option.
 */
export function idsOf<Id extends z.ZodType = z.ZodType<string>>(
  req: Request,
  options: IdsOptions<Id> = {},
): z.output<Id>[] {
  const { max = 100, of } = options
  checkOptionNames('RequestParam.ids', options, ['max', 'of'])
  if (!Number.isSafeInteger(max) || max < 1) {
    throw new MisuseError('ids_max', `\`max\` of RequestParam.ids is ${max}. Use a whole number from 1.`)
  }
  const { ids } = parseNow(schemaFor(of ?? anyId), { ids: sentIds(req) ?? [] })
  return distinct(ids, max) as z.output<Id>[]
}

/**
 * Returns the ids of a bulk call whose schema may have asynchronous functions.
 *
 * @throws ValidationError and HttpError 415, as `idsOf` does.
 */
export async function readIds(req: Request, of: z.ZodType, max: number): Promise<unknown[]> {
  const parsed = await parse(schemaFor(of), { ids: sentIds(req) ?? [] }, toValidationError)
  return distinct((parsed as { readonly ids: readonly unknown[] }).ids, max)
}

/** @throws ValidationError for no ids, and for more than `max`. */
function distinct(ids: readonly unknown[], max: number): unknown[] {
  const unique = [...new Set(ids)]
  if (unique.length === 0) throw new ValidationError({ ids: [messageOf('field.ids_missing')] })
  if (unique.length > max) throw new ValidationError({ ids: [messageOf('field.ids_too_many', { max })] })
  return unique
}

/**
 * Returns the ids of the query, a list or one string with commas; without them those of the body, which must be a list.
 */
function sentIds(req: Request): unknown {
  const { ids } = queryOf(req)
  if (ids === undefined) return bodyFieldsOf(req).ids
  if (typeof ids !== 'string') return ids
  return ids === '' ? [] : ids.split(',')
}
