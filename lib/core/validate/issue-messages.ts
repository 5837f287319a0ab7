import { isKeyOf, isList, propertyOf } from '../base/guards.js'
import { z } from 'zod'
import { isMessageKey, Message, type MessageKey, type MessageValues } from '../base/messages/messages.js'
import { zod4 } from './zod-schemas.js'

/** An issue before zod has chosen its message; `input` is the value that was refused. */
type RawIssue = z.core.$ZodRawIssue
type Issue<Code> = Extract<RawIssue, { readonly code: Code }>
type ErrorMap = NonNullable<ReturnType<typeof z.config>['localeError']>

/**
 * The messages of issues by their paths: zod copies an issue when it has a message, and its path is the one object that
 * is kept.
 */
const messageByPath = new WeakMap<object, Message>()

/** Returns the message of an issue; where it is one of this package, with its key. */
export function messageIn({ path, message }: z.core.$ZodIssue): string | Message {
  const chosen = messageByPath.get(path)
  return chosen?.text === message ? chosen : message
}

/** The default messages of issues that have others inside, or that are about several keys. */
const GENERAL: readonly string[] = [
  'field.required',
  'field.invalid',
  'field.alternatives',
  'field.key',
  'field.item',
  'field.unknown',
]

/** Returns true if the schema has a message for an issue that has others inside, or that is about several keys. */
export function hasOwnMessage(issue: z.core.$ZodIssue): boolean {
  const message = messageIn(issue)
  if (typeof message !== 'string') return !GENERAL.includes(message.key)
  return !isOfZod(issue) && textIn(z.config().customError?.(rawOf(issue, issue.input))) !== message
}

function choose(issue: { path?: PropertyKey[] | undefined }, message: Message): string {
  issue.path ??= []
  messageByPath.set(issue.path, message)
  return message.text
}

/**
 * Chooses the message of an issue for which the schema has none: that of `z.config({ customError })`, else one of this
 * package. The texts of zod and its locales are not used.
 */
export function chooseMessage(issue: RawIssue): string {
  const custom = textIn(z.config().customError?.(issue))
  if (custom !== undefined) return custom
  const [key, values] = keyFor(issue)
  return choose(issue, new Message(key, values))
}

/** Returns an error function for a schema of this package: it gives every issue this message. */
export function errorWith(message: string | Message): (issue: RawIssue) => string {
  return typeof message === 'string' ? () => message : (issue) => choose(issue, message)
}

function textIn(message: ReturnType<ErrorMap>): string | undefined {
  return typeof message === 'string' ? message : message?.message
}

/**
 * Replaces the messages that zod chose in the error of a `parse` that the application called. The refused value is no
 * longer known.
 */
export function reword(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  // Only the message of a wrong type tells whether the value was missing.
  const input = issue.code === 'invalid_type' && typeIn(issue) === 0 ? undefined : null
  const message = isOfZod(issue) ? chooseMessage(rawOf(issue, input)) : issue.message
  const renewed = { ...issue, input, message } as z.core.$ZodIssue
  if (renewed.code === 'invalid_union') {
    return { ...renewed, errors: renewed.errors.map((errors) => errors.map(reword)) } as z.core.$ZodIssue
  }
  if (renewed.code === 'invalid_key' || renewed.code === 'invalid_element') {
    return { ...renewed, issues: renewed.issues.map(reword) }
  }
  return renewed
}

/** Returns true if zod or its locale has chosen the message of an issue. */
function isOfZod(issue: z.core.$ZodIssue): boolean {
  return typeIn(issue) !== -1 || issue.message === textIn(english(rawOf(issue, issue.input)))
}

/** Returns the index of a value with the type that the message of an issue names, 0 for a missing one, or -1. */
function typeIn(issue: z.core.$ZodIssue): number {
  const received = /^Invalid input: expected [^,]+, received (.+)$/.exec(issue.message)?.[1]
  return received === undefined ? sampleOf(issue) : Number(received !== 'undefined')
}

function rawOf(issue: z.core.$ZodIssue, input: unknown): RawIssue {
  return { ...issue, input } as RawIssue
}

/** Values of each type that a locale has a word for. */
// dprint-ignore
const SAMPLES: readonly unknown[] = [
  undefined, null, '', 0, NaN, 0n, true, [], {}, new Map(), new Set(), new Date(0), new Date(NaN), () => 0, Symbol(),
]

/** Returns the index of the value for which the locale of zod has the message of an issue, or -1. */
function sampleOf(issue: z.core.$ZodIssue): number {
  const { localeError } = z.config()
  return SAMPLES.findIndex((input) => textIn(localeError?.(rawOf(issue, input))) === issue.message)
}

const english = zod4().locales.en().localeError

type Keyed = readonly [key: MessageKey, values?: MessageValues]

function keyFor(issue: RawIssue): Keyed {
  if (isMissing(issue)) return ['field.required']
  const keyOf = KEYS[issue.code] as ((issue: RawIssue) => Keyed) | undefined
  return keyOf?.(issue) ?? ['field.invalid']
}

/** Returns true for a value that was not sent; of a discriminated union the issue has the whole value. */
function isMissing({ input, ...issue }: RawIssue): boolean {
  const { discriminator } = issue
  if (typeof discriminator !== 'string' || typeof input !== 'object' || input === null) return input === undefined
  return propertyOf(input, discriminator) === undefined
}

const KEYS: { readonly [Code in RawIssue['code']]?: (issue: Issue<Code>) => Keyed } = {
  invalid_type: ({ expected }) => [TYPES[expected] ?? 'field.invalid'],
  invalid_format: keyForFormat,
  too_small: keyForSmall,
  too_big: keyForBig,
  invalid_value: ({ values }) => keyForValues(values),
  invalid_union: keyForUnion,
  not_multiple_of: ({ divisor }) => ['field.multiple_of', { divisor }],
  unrecognized_keys: () => ['field.unknown'],
  invalid_key: () => ['field.key'],
  invalid_element: () => ['field.item'],
}

const TYPES: Readonly<Record<string, MessageKey>> = {
  string: 'field.type.string',
  number: 'field.type.number',
  int: 'field.type.int',
  bigint: 'field.type.int',
  boolean: 'field.type.boolean',
  date: 'field.type.date',
  array: 'field.type.list',
  tuple: 'field.type.list',
  set: 'field.type.list',
  object: 'field.type.object',
  record: 'field.type.object',
  map: 'field.type.object',
  null: 'field.type.null',
  file: 'field.type.file',
  undefined: 'field.type.absent',
  void: 'field.type.absent',
  never: 'field.type.absent',
}

function keyForFormat(issue: Issue<'invalid_format'>): Keyed {
  const { format, prefix, suffix, includes } = issue
  if (format === 'starts_with') return ['field.starts_with', { text: String(prefix) }]
  if (format === 'ends_with') return ['field.ends_with', { text: String(suffix) }]
  if (format === 'includes') return ['field.contains', { text: String(includes) }]
  const key = `field.format.${format}`
  return [isMessageKey(key) ? key : 'field.format']
}

/** The words for the parts that are counted in each type of value. */
const UNITS = { string: 'characters', file: 'bytes', array: 'items', set: 'items', map: 'entries' } as const

function unitOf(origin: string): (typeof UNITS)[keyof typeof UNITS] | undefined {
  return isKeyOf(UNITS, origin) ? UNITS[origin] : undefined
}

function keyForSmall({ origin, minimum, inclusive, exact }: Issue<'too_small'>): Keyed {
  const isInclusive = inclusive !== false
  if (origin === 'date') return [isInclusive ? 'field.not_before' : 'field.after', { min: instantText(minimum) }]
  const unit = unitOf(origin)
  if (unit === undefined) return [isInclusive ? 'field.at_least' : 'field.greater_than', { min: minimum }]
  if (exact === true) return [`field.exactly.${unit}`, { value: minimum }]
  return [`field.at_least.${unit}`, { min: isInclusive ? minimum : Number(minimum) + 1 }]
}

function keyForBig({ origin, maximum, inclusive, exact }: Issue<'too_big'>): Keyed {
  const isInclusive = inclusive !== false
  if (origin === 'date') return [isInclusive ? 'field.not_after' : 'field.before', { max: instantText(maximum) }]
  const unit = unitOf(origin)
  if (unit === undefined) return [isInclusive ? 'field.at_most' : 'field.less_than', { max: maximum }]
  if (exact === true) return [`field.exactly.${unit}`, { value: maximum }]
  return [`field.at_most.${unit}`, { max: isInclusive ? maximum : Number(maximum) - 1 }]
}

function instantText(instant: unknown): string {
  return new Date(instant instanceof Date ? instant : Number(instant)).toISOString()
}

const MOST_OPTIONS = 20
const LONGEST_OPTIONS = 200

function keyForValues(options: readonly unknown[]): Keyed {
  const text = options.map(String).join(', ')
  if (options.length > MOST_OPTIONS || text.length > LONGEST_OPTIONS) return ['field.not_allowed']
  return options.length === 1 ? ['field.equal', { value: text }] : ['field.one_of', { values: text }]
}

/** Returns the values of the discriminator, which only a discriminated union has. */
function keyForUnion(issue: Issue<'invalid_union'>): Keyed {
  const { options, inclusive } = issue
  if (isList(options) && options.length > 0) return keyForValues(options)
  return [inclusive === false ? 'field.alternatives' : 'field.invalid']
}
