import type { Request } from 'express'
import type { Complete } from '../base/types.js'
import { MisuseError, ValidationError } from '../base/errors.js'
import { Message, messageOf } from '../base/messages/messages.js'
import { checkOptionNames } from '../base/options.js'
import { hasAtMost, toInteger } from '../validate/strings.js'
import { queryToReadOf } from '../request/query.js'

export interface PageOptions {
  /** The rows of a page if the client sends no `limit`. @default 20, or `maxLimit` where that is less */
  readonly limit?: number | undefined
  /** The most rows that a client may ask for. @default 100 */
  readonly maxLimit?: number | undefined
}

export interface PageParams {
  /** The number of the page, from 1. */
  page: number
  limit: number
  /** The number of rows before the page. */
  offset: number
  /** The search text, at most 200 characters; `''` without a search. */
  search: string
}

const LONGEST_SEARCH = 200

/**
 * Returns `page`, `limit` and `search` of the query.
 *
 * @throws ValidationError for anything but whole numbers within their bounds: nothing is clamped.
 * @throws MisuseError `page_limit` for options that are no positive whole numbers, or a `limit` above `maxLimit`;
 * `option_unknown` for any other option.
 */
export function pageOf(req: Request, options?: PageOptions): PageParams {
  const query = queryToReadOf(req)
  const { page, limit } = numbersIn(query, boundsOf('RequestParam.page', options))
  const search = textOf(query.search)
  if (page instanceof Message || limit instanceof Message || search instanceof Message) {
    throw toError({ page, limit, search })
  }
  const offset = (page - 1) * limit
  if (!Number.isSafeInteger(offset)) throw new ValidationError({ page: [messageOf('field.page_too_far')] })
  return { page, limit, offset, search }
}

/** The page that a request asks for; by cursor if it has a cursor. */
interface AskedPage {
  readonly page: number
  readonly limit: number
  /** Not checked; `undefined` without one. */
  readonly cursor: unknown
}

/**
 * Returns `page`, `limit` and `cursor` of the query, for `paginate`.
 *
 * @throws ValidationError and MisuseError as `pageOf` does.
 */
export function readPageQuery(req: Request, options: PageOptions | undefined): AskedPage {
  const query = queryToReadOf(req)
  const { page, limit } = numbersIn(query, boundsOf('paginate', options))
  if (page instanceof Message || limit instanceof Message) throw toError({ page, limit })
  const { cursor } = query
  // Page 1 is the default, which some clients send with every request.
  if (cursor === undefined || page === 1) return { page, limit, cursor }
  throw toError({ page: messageOf('field.page_or_cursor'), cursor: messageOf('field.page_or_cursor') })
}

function numbersIn(
  query: Readonly<Record<string, unknown>>,
  { limit, maxLimit }: Complete<PageOptions>,
): { page: number | Message; limit: number | Message } {
  return { page: numberOf(query.page, 1, Infinity), limit: numberOf(query.limit, limit, maxLimit) }
}

const OPTIONS = { names: ['limit', 'maxLimit'], renamed: { max: 'maxLimit' } }

function boundsOf(where: string, options: PageOptions | undefined): Complete<PageOptions> {
  if (options === undefined) return { limit: 20, maxLimit: 100 }
  checkOptionNames(where, options, OPTIONS)
  const { maxLimit = 100, limit = Math.min(20, maxLimit) } = options
  if ([limit, maxLimit].every((rows) => Number.isSafeInteger(rows) && rows > 0) && limit <= maxLimit) {
    return { limit, maxLimit }
  }
  throw new MisuseError(
    'page_limit',
    `${where} was given the limit ${limit} and the maxLimit ${maxLimit}. `
      + 'Use whole numbers from 1, with `limit` at most `maxLimit`.',
  )
}

function numberOf(sent: unknown, usual: number, max: number): number | Message {
  if (sent === undefined) return usual
  const number = typeof sent === 'string' ? toInteger(sent) : sent
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) return messageOf('field.type.int')
  if (number < 1) return messageOf('field.at_least', { min: 1 })
  return number > max ? messageOf('field.at_most', { max }) : number
}

function textOf(sent: unknown): string | Message {
  if (sent === undefined) return ''
  if (typeof sent !== 'string') return messageOf('field.type.string')
  return hasAtMost(LONGEST_SEARCH, sent) ? sent : messageOf('field.at_most.characters', { max: LONGEST_SEARCH })
}

function toError(read: Readonly<Record<string, unknown>>): ValidationError {
  const faults = Object.entries(read).flatMap(([name, value]) =>
    value instanceof Message ? [[name, [value]] as const] : []
  )
  return new ValidationError(Object.fromEntries(faults))
}
