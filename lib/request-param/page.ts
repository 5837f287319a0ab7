import type { Request } from 'express'
import { z } from 'zod'
import { MisuseError, ValidationError } from '../errors.js'
import { param } from '../param.js'
import { charactersIn } from '../validate/characters.js'
import { parseNow } from '../validate/parse.js'
import { queryOf } from './query.js'

export interface PageOptions {
  /**
   * Rows on a page where the caller names no number.
   *
   * @default 20, or `max` where that is less
   */
  readonly limit?: number
  /**
   * The most rows that a caller may ask for.
   *
   * @default 100
   */
  readonly max?: number
}

export interface PageParams {
  /** Counts from 1. */
  page: number
  limit: number
  /** How many rows come before the page. */
  offset: number
  /** At most 200 characters; `''` where nothing is searched for. */
  search: string
}

const LONGEST_SEARCH = 200

/** One for each pair of bounds: those stand in the program, so there are few. */
const schemas = new Map<string, ReturnType<typeof toSchema>>()

/**
 * `page`, `limit` and `search` of the query.
 *
 * @throws ValidationError for anything but whole numbers within bounds: nothing is clamped.
 * @throws MisuseError `page_limit` for options that are no positive whole numbers, or a `limit` above `max`.
 */
export function pageOf(req: Request, { max = 100, limit = Math.min(20, max) }: PageOptions = {}): PageParams {
  if (![limit, max].every((rows) => Number.isSafeInteger(rows) && rows > 0) || limit > max) {
    throw new MisuseError('page_limit', `The limit of a page is a whole number from 1 to max, not ${limit} of ${max}.`)
  }
  const asked = parseNow(schemaFor(limit, max), queryOf(req))
  const offset = (asked.page - 1) * asked.limit
  if (!Number.isSafeInteger(offset)) throw new ValidationError({ page: ['There is no page so far out'] })
  return { page: asked.page, limit: asked.limit, offset, search: asked.search }
}

function schemaFor(limit: number, max: number): ReturnType<typeof toSchema> {
  const key = `${limit}/${max}`
  const schema = schemas.get(key) ?? toSchema(limit, max)
  schemas.set(key, schema)
  return schema
}

function toSchema(limit: number, max: number) {
  return z.object({
    page: param.int().min(1, 'Must be at least 1').default(1),
    limit: param.int().min(1, 'Must be at least 1').max(max, `Must be at most ${max}`).default(limit),
    search: z.string('Must be a text')
      .refine((text) => charactersIn(text) <= LONGEST_SEARCH, `Must have at most ${LONGEST_SEARCH} characters`)
      .default(''),
  })
}
