import { accepts } from '../../openapi/examples.js'
import type { Resolve } from '../../openapi/fields.js'
import type { JsonSchema } from '../../openapi/types.js'
import { misfitOf } from './fits.js'

/** The number of values that {@link variantOf} knows for each type. */
export const VARIANTS = 4

/** Returns the type of a schema, without `null`, and whether it accepts null. */
export function plainSchema(schema: JsonSchema,
  resolve: Resolve): { readonly json: JsonSchema; readonly isNullable: boolean }
{
  const json = resolve(schema)
  const { anyOf } = json
  const parts = (anyOf ?? [json]).map(resolve)
  const types = [json.type ?? []].flat()
  const [part = {}] = parts.filter(({ type }) => type !== 'null')
  const type = types.length > 1 ? types.find((one) => one !== 'null') : part.type
  return { json: { ...part, ...(type !== undefined && { type }) },
    isNullable: types.includes('null') || parts.length > [part].length }
}

const DAYS = ['2026-12-01', '2026-01-31', '2024-02-29', '2026-07-01']
const INSTANTS = ['2026-03-29T01:30:00.000Z', '2026-12-31T23:30:00.000Z', '2026-06-15T00:15:00.000Z',
  '2024-02-29T12:00:00.000Z']
const DECIMALS = ['19.99', '12345.67', '0.1', '7']
const FRACTIONS = [19.99, -3.75, 1_234_567.89, 0.1, 42.5]
const WHOLE = [7, 0, 42, -7, 123_456, 1_001]

/** Returns a valid value that programs tend to store as another one, `undefined` where the schema accepts none. */
export function variantOf(name: string, schema: JsonSchema, resolve: Resolve,
  { round, number }: { readonly round: number; readonly number: number }): unknown
{
  const { json } = plainSchema(schema, resolve)
  const values = valuesFor(name, json, { number, resolve })
  const turned = values.map((_, index) => values[(index + round) % values.length])
  return turned.find((value) => value !== undefined && isAccepted(json, value, resolve))
}

function isAccepted(json: JsonSchema, value: unknown, resolve: Resolve): boolean {
  return misfitOf(json, value, { resolve, isClosed: false }) === undefined
    && (typeof value !== 'string' || accepts(json, value))
}

function valuesFor(name: string, json: JsonSchema,
  { number, resolve }: { readonly number: number; readonly resolve: Resolve }): readonly unknown[]
{
  const choices = json.enum
  if (choices !== undefined) return PHASE.test(name) ? [] : choices
  switch (json.type) {
    case 'boolean':
      return [true, false]
    case 'integer':
      return [...WHOLE, json.maximum, json.minimum]
    case 'number':
      return [...FRACTIONS, ...WHOLE]
    case 'array':
      return isKept(name) ? listsFor(json, number, resolve) : []
    default:
      return json.type === 'string' && isKept(name) ? stringsFor(json, number) : []
  }
}

/** Returns false for a field whose values name records, or are usually kept in another form. */
function isKept(name: string): boolean {
  return !REFERENCE.test(name) && !CHANGED.test(name)
}

/** Values of the formats in which a string is kept as another type. */
const FORMATS: Readonly<Record<string, readonly string[]>> = { date: DAYS, 'date-time': INSTANTS, decimal: DECIMALS }

function stringsFor(json: JsonSchema, number: number): readonly string[] {
  const { format } = json
  return typeof format === 'string' ? FORMATS[format] ?? [] : texts(json, number)
}

/** Returns lists of three and of two items. */
function listsFor(json: JsonSchema, number: number, resolve: Resolve): readonly unknown[][] {
  const item = plainSchema(json.items ?? {}, resolve).json
  const choices = item.enum ?? (item.type === 'string' ? [`a${number}`, `b${number}`, `c${number}`] : WHOLE)
  const accepted = choices.filter((value) => isAccepted(item, value, resolve))
  return [3, 2].filter((length) => accepted.length >= length).map((length) => accepted.slice(0, length))
}

/** Strings with marks and letters that are often stored as others, and one of the greatest length. */
function texts({ maxLength, minLength = 0 }: JsonSchema, number: number): string[] {
  const most = typeof maxLength === 'number' ? maxLength : 200
  const texts = [`Q&A <3 "x" ${number}`, 'x'.repeat(Math.min(most, 2000) - `${number}`.length - 1) + ` ${number}`,
    `O'Brien 100% ${number}`, `Zoë 💩 名 ${number}`, `check ${number}`]
  return texts.map((text) => text.padEnd(Number(minLength), 'y')).filter((text) => Array.from(text).length <= most)
}

/** Fields that name a record. */
const REFERENCE = /(?:Id|_id|^id|Ids|_ids)$/

/** Fields whose steps an application decides. */
const PHASE = /status|state|phase|stage|step/i

/** Fields that applications usually keep in another form than they receive. */
const CHANGED = /pass|pwd|secret|token|slug|phone|url|uri|link|html|markdown|iban|hash|handle|locale|pin$/i

/** Returns true for a value that is read as another one than it was written. */
export function isDifferent(sent: unknown, read: unknown, schema: JsonSchema, resolve: Resolve): boolean {
  if (sent === undefined || sent === null || read === undefined) return false
  if (typeof sent === 'boolean') return TRUTHS.has(read) && Boolean(read) !== sent
  if (Array.isArray(sent)) return Array.isArray(read) && lacksSome(read, sent)
  const { format } = plainSchema(schema, resolve).json
  return isOtherScalar(sent, read, format)
}

/** Values that databases have for true and false. */
const TRUTHS = new Set<unknown>([true, false, 0, 1])

function isOtherScalar(sent: unknown, read: unknown, format: unknown): boolean {
  if (typeof sent === 'number' || format === 'decimal') return isNumber(read) && Number(read) !== Number(sent)
  if (typeof sent !== 'string') return false
  return read === null || (typeof read === 'string' && isOtherText(sent, read, format))
}

/** Returns true if a list of strings and numbers lacks some items; they may be in another order. */
function lacksSome(list: readonly unknown[], items: readonly unknown[]): boolean {
  const isSimple = list.every((value) => typeof value === 'string' || typeof value === 'number')
  const words = new Set(list.map((value) => folded(String(value))))
  return isSimple && items.some((item) => !words.has(folded(String(item))))
}

function isOtherText(sent: string, read: string, format: unknown): boolean {
  if (format === 'date-time') return Math.abs(Date.parse(sent) - Date.parse(read)) > 1000
  if (format === 'date') return read.slice(0, 10) !== sent.slice(0, 10)
  return !MASKED.test(read) && folded(read) !== folded(sent)
}

/** A string of which a part is hidden, such as the number of a card. */
const MASKED = /[*•]{2}|[x×]{4}-/i

function isNumber(value: unknown): boolean {
  return typeof value === 'number'
    || (typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value)))
}

/** Spaces, the case and the form of letters may be changed by a schema. */
function folded(text: string): string {
  return text.normalize('NFKC').replace(/\s+/g, ' ').trim().toLowerCase()
}

/** Returns true if nothing is left of a value that a request has not named. */
export function isReset(before: unknown, after: unknown): boolean {
  const isEmpty = (value: unknown): boolean =>
    value === undefined || value === null || value === '' || value === 0 || value === false
    || (Array.isArray(value) && value.length === 0)
  return !isEmpty(before) && isEmpty(after)
}
