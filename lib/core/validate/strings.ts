import type { z } from 'zod'
import { wrapParse } from './zod-schemas.js'

const DECIMAL = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/

/** RFC 3339 §5.6 with its offset, or an ISO date alone, which is midnight in UTC. */
const DATE =
  /^(\d{4}-\d{2}-\d{2})(?:T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d))?$/i

/**
 * Returns the integer that a string writes in its one canonical way; `undefined` for any other string, and where digits
 * would be lost.
 */
export function toInteger(text: string): number | undefined {
  const value = Number(text)
  return Number.isSafeInteger(value) && String(value) === text ? value : undefined
}

/** The most digits that are read: the time that a conversion takes grows faster than their number. */
const MOST_DIGITS = 1000

/** Returns the bigint of a string in its one canonical way, or of a safe integer; `undefined` for any other value. */
export function toBigint(value: unknown): bigint | undefined {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined
  const isCanonical = typeof value === 'string' && value.length <= MOST_DIGITS && /^(?:0|-?[1-9]\d*)$/.test(value)
  return isCanonical ? BigInt(value) : undefined
}

/**
 * Returns a decimal with exactly `scale` digits after its point: `"12.5"` as `"12.50"`; `undefined` for a string that
 * is none, or has more.
 */
export function toDecimal(text: string, scale: number): string | undefined {
  if (text.length > MOST_DIGITS || !DECIMAL.test(text)) return undefined
  const [whole = '', fraction = ''] = text.split('.')
  if (fraction.length > scale) return undefined
  const digits = scale === 0 ? whole : `${whole}.${fraction.padEnd(scale, '0')}`
  return /[1-9]/.test(digits) ? digits : digits.replace('-', '')
}

/** True for a decimal as {@link toDecimal} reads it, with any number of digits after its point. */
export function isDecimal(text: string): boolean {
  return text.length <= MOST_DIGITS && DECIMAL.test(text)
}

/** Returns the number that a string writes as a plain decimal: no exponent, no leading zero, no sign but a minus. */
export function toNumber(text: string): number | undefined {
  if (!DECIMAL.test(text)) return undefined
  const value = Number(text)
  return Object.is(value, -0) || !isExact(value) ? undefined : value
}

/** Returns true for a finite number that is no integer so large that its neighbours are rounded to it. */
export function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
}

export function toBoolean(text: string): boolean | undefined {
  if (text === 'true') return true
  return text === 'false' ? false : undefined
}

/** Returns the instant of a date-time or of a date that exists. */
export function toDate(text: string): Date | undefined {
  const day = DATE.exec(text)?.[1]
  return day === undefined || !isCalendarDay(day) ? undefined : new Date(text.toUpperCase())
}

/** Returns true for a day of the calendar, `YYYY-MM-DD`, in the years 0001 to 9999. */
export function isCalendarDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && !text.startsWith('0000') && isCalendarDay(text)
}

function isCalendarDay(day: string): boolean {
  // JavaScript refuses a 32nd, and moves the 30th of February into March.
  const date = new Date(day)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day)
}

/**
 * The most characters of a host: names have at most 253, and `URL` takes the square of the time for a long one with
 * characters beyond ASCII.
 */
const LONGEST_HOST = 1000

/** Returns true for an absolute URL of the web: `https://example.com/a`. */
export function isWebAddress(text: string): boolean {
  const [, authority = ''] = /^https?:\/\/([^\s/][^/\\?#]*)/i.exec(text) ?? []
  const host = authority.slice(authority.lastIndexOf('@') + 1)
  return authority !== '' && host.length <= LONGEST_HOST && !/\s/.test(text) && URL.canParse(text)
}

/** Counts code points: an emoji is one character, not two. */
export function charactersIn(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0)
}

/** Returns true if a string has at most so many characters; most strings are too short to need counting. */
export function hasAtMost(most: number, text: string): boolean {
  return text.length <= most || charactersIn(text) <= most
}

/** Adds a conversion of strings to a schema; a string without a result is passed to the schema, which refuses it. */
export function convertStrings(schema: z.core.$ZodType, convert: (text: string) => unknown): void {
  convertValues(schema, (value) => (typeof value === 'string' ? convert(value) : value))
}

/** Adds a conversion of all values to a schema; one without a result is passed to the schema, which refuses it. */
export function convertValues(schema: z.core.$ZodType, convert: (value: unknown) => unknown): void {
  wrapParse(schema, (parse) => (payload, context) => {
    payload.value = convert(payload.value) ?? payload.value
    return parse(payload, context)
  })
}

/** Adds a conversion of strings to a schema; a string without a result does not have the format. */
export function requireFormat(
  schema: z.core.$ZodType,
  format: string,
  convert: (text: string) => string | undefined,
): void {
  wrapParse(schema, (parse) => (payload, context) => {
    const value: unknown = payload.value
    if (typeof value !== 'string') return parse(payload, context)
    const converted = convert(value)
    if (converted === undefined) {
      payload.issues.push({ code: 'invalid_format', format, input: value, inst: schema })
      return payload
    }
    payload.value = converted
    return parse(payload, context)
  })
}
