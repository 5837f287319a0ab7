import { z } from 'zod'
import { zod4 } from './zod-version.js'

/** An issue before zod has chosen its message; `input` is the value that was refused. */
type RawIssue = z.core.$ZodRawIssue
type Issue<Code> = Extract<RawIssue, { readonly code: Code }>
type ErrorMap = NonNullable<ReturnType<typeof z.config>['localeError']>

/**
 * Chooses the message of an issue for which the schema has none: the application's (`z.config({ customError })`, or a locale other than
 * zod's English), else ours. None of them shows a regular expression.
 */
export function wordsOf(issue: RawIssue): string {
  const { customError, localeError } = z.config()
  return messageOf(customError?.(issue)) ?? translated(issue, localeError) ?? textOf(issue)
}

function messageOf(said: ReturnType<ErrorMap>): string | undefined {
  return typeof said === 'string' ? said : said?.message
}

/**
 * Replaces the messages that zod itself chose, in the error of a `parse` that the application called: of these the value is no longer known.
 */
export function reworded(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  const said = messageOf(z.config().localeError?.(issue as never))
  const missing = /^Invalid input: expected [^,]+, received (.+)$/.exec(issue.message)?.[1]
  const isZods = issue.message === messageOf(english(issue as never)) || issue.message === said || missing !== undefined
  const message = isZods ? wordsOf({ ...issue, input: missing === 'undefined' ? undefined : null } as never) : issue.message
  if (issue.code === 'invalid_union') return { ...issue, message, errors: issue.errors.map((errors) => errors.map(reworded)) } as z.core.$ZodIssue
  if (issue.code === 'invalid_key' || issue.code === 'invalid_element') return { ...issue, message, issues: issue.issues.map(reworded) }
  return { ...issue, message }
}

const english = zod4().locales.en().localeError

/** Returns what the locale of the application says, `undefined` where that is what zod's English says. */
function translated(issue: RawIssue, localeError: ErrorMap | undefined): string | undefined {
  const said = messageOf(localeError?.(issue))
  if (said === undefined || localeError === undefined || said === messageOf(english(issue))) return undefined
  const { pattern } = issue as { readonly pattern?: unknown }
  if (typeof pattern !== 'string' || !said.includes(pattern)) return said
  // Of this format every locale of zod's says that the input is not valid, and no more.
  return messageOf(localeError({ ...issue, format: 'template_literal', pattern: undefined } as never))
}

/** Returns our message for an issue. */
function textOf(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeText(issue)
    case 'invalid_format':
      return formatText(issue)
    case 'too_small':
      return smallText(issue)
    case 'too_big':
      return bigText(issue)
    case 'invalid_value':
      return optionsText(issue.values)
    case 'invalid_union':
      return unionText(issue)
    case 'not_multiple_of':
      return `Must be a multiple of ${String(issue.divisor)}`
    default:
      return TEXTS[issue.code] ?? 'Not valid'
  }
}

const TEXTS: Readonly<Partial<Record<string, string>>> = {
  unrecognized_keys: 'Unknown field',
  invalid_key: 'This key is not valid',
  invalid_element: 'This item is not valid',
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'Must be a string',
  number: 'Must be a number',
  int: 'Must be a whole number',
  bigint: 'Must be a whole number',
  boolean: 'Must be true or false',
  date: 'Must be a date',
  array: 'Must be a list',
  tuple: 'Must be a list',
  set: 'Must be a list',
  object: 'Must be an object',
  record: 'Must be an object',
  map: 'Must be an object',
  null: 'Must be null',
  file: 'Must be a file',
  undefined: 'Must be left out',
  void: 'Must be left out',
  never: 'Must be left out',
}

function typeText({ expected, input }: Issue<'invalid_type'>): string {
  return input === undefined ? 'Required' : (TYPES[expected] ?? 'Not valid')
}

const FORMATS: Readonly<Partial<Record<string, string>>> = {
  email: 'Must be an e-mail address',
  url: 'Must be a URL',
  emoji: 'Must be an emoji',
  uuid: 'Must be a UUID',
  uuidv4: 'Must be a UUID of version 4',
  uuidv6: 'Must be a UUID of version 6',
  uuidv7: 'Must be a UUID of version 7',
  guid: 'Must be a GUID',
  nanoid: 'Must be a Nano ID',
  cuid: 'Must be a CUID',
  cuid2: 'Must be a CUID2',
  ulid: 'Must be a ULID',
  xid: 'Must be an XID',
  ksuid: 'Must be a KSUID',
  datetime: 'Must be a date and time like 2026-11-21T08:30:00Z',
  date: 'Must be a date like 2026-11-21',
  time: 'Must be a time like 08:30:00',
  duration: 'Must be a duration like P1DT2H',
  ipv4: 'Must be an IPv4 address',
  ipv6: 'Must be an IPv6 address',
  mac: 'Must be a MAC address',
  cidrv4: 'Must be an IPv4 range like 192.0.2.0/24',
  cidrv6: 'Must be an IPv6 range like 2001:db8::/32',
  base64: 'Must be base64',
  base64url: 'Must be base64url',
  json_string: 'Must be JSON',
  e164: 'Must be a phone number like +14155550100',
  jwt: 'Must be a JWT',
  hostname: 'Must be a host name',
  hex: 'Must be hexadecimal',
  currency_code: 'Must be a currency code like EUR',
  credit_card: 'Must be a credit card number',
  iban: 'Must be an IBAN',
  lowercase: 'Must be lower case',
  uppercase: 'Must be upper case',
}

function formatText(issue: Issue<'invalid_format'>): string {
  const { format, prefix, suffix, includes } = issue as Issue<'invalid_format'> & Readonly<Record<'prefix' | 'suffix' | 'includes', unknown>>
  if (format === 'starts_with') return `Must start with "${String(prefix)}"`
  if (format === 'ends_with') return `Must end with "${String(suffix)}"`
  if (format === 'includes') return `Must contain "${String(includes)}"`
  return (Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined) ?? 'Does not have the required format'
}

/** What is counted in each sort of value: one, several. */
const UNITS: Readonly<Record<string, readonly [string, string]>> = {
  string: ['character', 'characters'],
  file: ['byte', 'bytes'],
  array: ['item', 'items'],
  set: ['item', 'items'],
  map: ['entry', 'entries'],
}

function smallText({ origin, minimum, inclusive, exact }: Issue<'too_small'>): string {
  if (origin === 'date') return `Must ${inclusive === false ? 'be after' : 'not be before'} ${dateText(minimum)}`
  const unit = UNITS[origin]
  if (unit === undefined) return inclusive === false ? `Must be greater than ${minimum}` : `Must be at least ${minimum}`
  if (exact === true) return `Must have exactly ${counted(minimum, unit)}`
  return inclusive === false ? `Must have more than ${counted(minimum, unit)}` : `Must have at least ${counted(minimum, unit)}`
}

function bigText({ origin, maximum, inclusive, exact }: Issue<'too_big'>): string {
  if (origin === 'date') return `Must ${inclusive === false ? 'be before' : 'not be after'} ${dateText(maximum)}`
  const unit = UNITS[origin]
  if (unit === undefined) return inclusive === false ? `Must be less than ${maximum}` : `Must be at most ${maximum}`
  if (exact === true) return `Must have exactly ${counted(maximum, unit)}`
  return inclusive === false ? `Must have fewer than ${counted(maximum, unit)}` : `Must have at most ${counted(maximum, unit)}`
}

function counted(bound: number | bigint, [one, several]: readonly [string, string]): string {
  return `${bound} ${Number(bound) === 1 ? one : several}`
}

function dateText(instant: unknown): string {
  return new Date(instant instanceof Date ? instant : Number(instant)).toISOString()
}

const MOST_OPTIONS = 20
const LONGEST_OPTIONS = 200

function optionsText(options: readonly unknown[]): string {
  const text = options.map(String).join(', ')
  if (options.length > MOST_OPTIONS || text.length > LONGEST_OPTIONS) return 'Not one of the allowed values'
  return options.length === 1 ? `Must be ${text}` : `Must be one of ${text}`
}

/** Only a discriminated union knows which values choose among its options. */
function unionText(issue: Issue<'invalid_union'>): string {
  const { options, inclusive } = issue as { readonly options?: unknown; readonly inclusive?: boolean }
  if (Array.isArray(options) && options.length > 0) return optionsText(options)
  return inclusive === false ? 'Fits more than one alternative' : 'Not valid'
}
