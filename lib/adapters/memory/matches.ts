import { ignoreFailure, isList, MisuseError } from '../../core/index.js'
import { isCallable, isEither, isRaw, type AnyCondition, type AnyWhere,
  type FieldCondition } from '../../crud/contract/index.js'

export type AnyRow = Readonly<Record<string, unknown>>

/**
 * The types of the values that each field has had, `null` among them: a value of another type is never compared with
 * it.
 */
export type SeenTypes = Map<string, Set<string>>

const NULL = 'null'

export function remember(seen: SeenTypes, row: AnyRow): void {
  for (const [field, value] of Object.entries(row)) {
    const types = seen.get(field) ?? new Set()
    seen.set(field, types.add(value === null || value === undefined ? NULL : typeOf(value)))
  }
}

/** True for a value of a type that a field has had, and for any value where the field has been null so far. */
export function isOfType(seen: SeenTypes, field: string, value: unknown): boolean {
  const types = seen.get(field)
  if (value === null) return types?.has(NULL) === true
  return types !== undefined && (types.has(typeOf(value)) || (types.size === 1 && types.has(NULL)))
}

/** The properties of fields that conditions use. */
export interface Fields {
  readonly seen: SeenTypes
  /** The fields of decimals in strings. */
  readonly decimals: ReadonlySet<string>
}

export function testOf(where: AnyWhere, fields: Fields): (row: AnyRow) => boolean {
  const tests = where.map((condition) => testOfOne(condition, fields))
  return (row) => tests.every((test) => test(row))
}

function testOfOne(condition: AnyCondition, fields: Fields): (row: AnyRow) => boolean {
  if (isRaw(condition)) return rawTest(condition.raw)
  if (!isEither(condition)) return fieldTest(condition, fields)
  const tests = condition.any.map((where) => testOf(where, fields))
  return (row) => tests.some((test) => test(row))
}

function rawTest(raw: unknown): (row: AnyRow) => boolean {
  if (isCallable(raw)) {
    return (row) => {
      const result = raw(structuredClone(row))
      ignoreFailure(result)
      return result === true
    }
  }
  throw new MisuseError(
    'store_raw',
    'A raw condition of a memoryStore is a function of a row that returns true or false: raw((row) => row.open).',
  )
}

function fieldTest([field, operator, operand]: FieldCondition, { seen, decimals }: Fields): (row: AnyRow) => boolean {
  const values = isList(operand) ? operand : [operand]
  if (!values.every((item) => item === null || isOfType(seen, field, item))) return () => false
  const isOfDecimals = decimals.has(field)
  if (isOfDecimals && !values.every((item) => item === null || isDecimal(item))) return () => false
  const read = isOfDecimals ? toDigits : (item: unknown): unknown => item
  const value = isList(operand) ? values.map(read) : read(operand)
  const holds = TESTS[operator]
  const holdsOfNull = operator === '=' ? value === null : operator === '!=' ? value !== null : operator === 'not in'
  return (row) => {
    const stored = read(row[field] ?? null)
    return stored === null ? holdsOfNull : value !== null ? holds(stored, value) : operator === '!='
  }
}

type Test = (stored: unknown, value: unknown) => boolean

const isAmong: Test = (stored, values) => isList(values) && values.some((value) => compare(stored, value) === 0)

/** Holds where the types are the same and the order is this one. */
const orderTest = (holds: (order: number) => boolean): Test => (stored, value) =>
  typeOf(stored) === typeOf(value) && holds(compare(stored, value))

const TESTS = {
  '=': orderTest((order) => order === 0),
  '!=': orderTest((order) => order !== 0),
  'in': isAmong,
  'not in': (stored: unknown, values: unknown) => !isAmong(stored, values),
  '<': orderTest((order) => order < 0),
  '<=': orderTest((order) => order <= 0),
  '>': orderTest((order) => order > 0),
  '>=': orderTest((order) => order >= 0),
  'contains': (stored: unknown, text: unknown) =>
    typeof stored === 'string' && foldCase(stored).includes(foldCase(text)),
  'startsWith': (stored: unknown, text: unknown) =>
    typeof stored === 'string' && foldCase(stored).startsWith(foldCase(text)),
}

/** Folds case character by character, as databases do: JavaScript would look at the neighbours of a sigma. */
function foldCase(text: unknown): string {
  return Array.from(String(text), (character) => character.toLowerCase()).join('')
}

/** Names the type of a value as conditions tell types apart: a Date is a type of its own. */
function typeOf(value: unknown): string {
  return value instanceof Date ? 'date' : typeof value
}

/**
 * Orders values the way databases do: nulls last, strings by code points, Dates by time. Values of different types are
 * never equal, and are ordered by their types.
 */
export function compare(left: unknown, right: unknown): number {
  const [a, b] = [comparable(left), comparable(right)]
  if (a === null || b === null) return Number(a === null) - Number(b === null)
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b))
  const [ofLeft, ofRight] = [typeOf(left), typeOf(right)]
  if (ofLeft !== ofRight) return ofLeft < ofRight ? -1 : 1
  return a < b ? -1 : Number(a > b)
}

/** Returns a text that only values have which are equal by {@link compare}. */
export function valueText(value: unknown): string {
  return `${typeOf(value)} ${String(comparable(value))}`
}

function comparable(value: unknown): string | number | bigint | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'string' || typeof value === 'bigint') return value
  return Number(value)
}

/** The most digits after the point of a decimal. */
const SCALE = 100

const DECIMAL = new RegExp(`^-?\\d+(?:\\.\\d{1,${SCALE}})?$`)

export function isDecimal(value: unknown): value is string {
  return typeof value === 'string' && DECIMAL.test(value)
}

/** Converts a decimal into a bigint that compares as it does; any other value stays as it is. */
export function toDigits(value: unknown): unknown {
  if (!isDecimal(value)) return value
  const [whole = '', fraction = ''] = value.split('.')
  return BigInt(whole + fraction.padEnd(SCALE, '0'))
}
