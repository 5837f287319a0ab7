import type { Request } from 'express'
import { MisuseError, ValidationError } from '../errors.js'
import { toInteger } from '../validate/canonical.js'
import { hasAtMost } from '../validate/characters.js'
import { queryToReadOf } from './query.js'

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

/**
 * `page`, `limit` and `search` of the query.
 *
 * @throws ValidationError for anything but whole numbers within bounds: nothing is clamped.
 * @throws MisuseError `page_limit` for options that are no positive whole numbers, or a `limit` above `max`.
 */
export function pageOf(req: Request, { max = 100, limit: usual = Math.min(20, max) }: PageOptions = {}): PageParams {
  if (![usual, max].every((rows) => Number.isSafeInteger(rows) && rows > 0) || usual > max) {
    throw new MisuseError('page_limit', `The limit of a page is a whole number from 1 to max, not ${usual} of ${max}.`)
  }
  const query = queryToReadOf(req)
  const page = numberOf(query.page, 1, Infinity)
  const limit = numberOf(query.limit, usual, max)
  const search = textOf(query.search)
  if (page instanceof Fault || limit instanceof Fault || search instanceof Fault) throw toError({ page, limit, search })
  const offset = (page - 1) * limit
  if (!Number.isSafeInteger(offset)) throw new ValidationError({ page: ['There is no page so far out'] })
  return { page, limit, offset, search }
}

class Fault {
  readonly message: string

  constructor(message: string) {
    this.message = message
  }
}

function numberOf(sent: unknown, usual: number, max: number): number | Fault {
  if (sent === undefined) return usual
  const number = typeof sent === 'string' ? toInteger(sent) : sent
  if (typeof number !== 'number' || !Number.isSafeInteger(number)) return new Fault('Must be a whole number')
  if (number < 1) return new Fault('Must be at least 1')
  return number > max ? new Fault(`Must be at most ${max}`) : number
}

function textOf(sent: unknown): string | Fault {
  if (sent === undefined) return ''
  if (typeof sent !== 'string') return new Fault('Must be a text')
  return hasAtMost(LONGEST_SEARCH, sent) ? sent : new Fault(`Must have at most ${LONGEST_SEARCH} characters`)
}

function toError(read: Readonly<Record<string, unknown>>): ValidationError {
  const faults = Object.entries(read).flatMap(([name, value]) => (value instanceof Fault ? [[name, [value.message]] as const] : []))
  return new ValidationError(Object.fromEntries(faults))
}
