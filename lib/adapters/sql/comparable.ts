import { isList, MisuseError } from '../../core/index.js'
import { describe, isEither, isRaw, UUID, type AnyCondition, type AnyWhere,
  type FieldCondition } from '../../crud/contract/index.js'
import type { Dialect, Kind } from './kinds.js'

/** The properties of a column that conditions use. */
export interface ComparedColumn {
  readonly kind: Kind
  readonly labels?: readonly string[] | undefined
  /** True for an ENUM or SET of MySQL, which it sorts by number and compares as a string. */
  readonly isRanked?: boolean
  /** True for a column of strings in which strings that differ may be equal: `A` and `a`, or `a ` and `a`. */
  readonly isCollated?: boolean
  /** True for a column of PostgreSQL whose collation has no `like`. */
  readonly isNondeterministic?: boolean
  /** True for a `char` of PostgreSQL, which is equal with and without spaces at its end. */
  readonly isPadded?: boolean
  /** True for an enum or a uuid whose text can be searched. */
  readonly hasText?: boolean
  /** True for a number of single precision. */
  readonly isFloat?: boolean
  /** True for an integer of PostgreSQL with at most 32 bits, which is always a number in JavaScript. */
  readonly isSmall?: boolean
  /** True for a column of whole numbers, in which a database may round a fraction. */
  readonly isWhole?: boolean
  /** The digits after the point of a decimal, where they are limited. */
  readonly scale?: number | undefined
  /** True for a PostgreSQL type that returns a value as it was given, neither rounded nor padded. */
  readonly isExact?: boolean
}

export interface ComparedColumns {
  /** @throws MisuseError where there is no such column. */
  checkExists(field: string): void
  /** Finds a column to compare. @throws MisuseError where there is none, or where its type is not known. */
  column(field: string): ComparedColumn
}

const isNumber = (value: unknown): boolean => typeof value === 'number'
const isString = (value: unknown): boolean => typeof value === 'string'
const isWhole = (value: unknown): boolean => typeof value === 'number' || typeof value === 'bigint'
const isDate = (value: unknown): boolean => value instanceof Date
const NUMERAL = /^-?\d+(?:\.\d+)?$/

const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
export const isNumeral = (value: unknown): boolean => typeof value === 'string' && NUMERAL.test(value)

/** A `bigint unsigned` of MySQL has up to 20 digits. */
const INTEGER = /^-?\d{1,20}$/
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i
const MOMENT = /^\d{4,6}-\d\d-\d\d(?:[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?)?(?:Z| ?[+-]\d\d(?::?\d\d){0,2})?$/

/** A time of day; that of MySQL is a duration too, up to 838 hours in both directions. */
const TIME = /^(-?\d{2,3}):[0-5]\d(?::[0-5]\d(?:\.\d{1,6})?)?$/

/** The values that can be compared with a column. */
interface Comparison {
  readonly accepts: (value: unknown) => boolean
  /**
   * The values of a cursor as the database writes them. PostgreSQL checks dates and times itself, in every style that
   * it writes.
   */
  readonly text?: RegExp
}

const COMPARISONS: Readonly<Record<Kind, Comparison>> = {
  integer: { accepts: isNumber, text: INTEGER },
  number: { accepts: isNumber, text: NUMBER },
  bigint: { accepts: (value) => typeof value === 'bigint', text: INTEGER },
  numeric: { accepts: isNumber, text: NUMBER },
  decimal: { accepts: isNumeral, text: NUMERAL },
  digits: { accepts: (value) => isWhole(value) || isNumeral(value), text: NUMERAL },
  flag: { accepts: (value) => isBoolean(value) || isNumber(value), text: /^-?\d{1,3}$/ },
  boolean: { accepts: isBoolean, text: /^(?:t|f|true|false|0|1)$/ },
  string: { accepts: isString },
  calendarDate: { accepts: isString, text: /^\d{4}-\d\d-\d\d$/ },
  time: { accepts: isString, text: TIME },
  uuid: { accepts: isString, text: UUID },
  enum: { accepts: isString },
  textual: { accepts: isString },
  date: { accepts: isDate, text: MOMENT },
  epoch: { accepts: isDate, text: INTEGER },
  moment: { accepts: isString, text: MOMENT },
  json: { accepts: () => false },
  opaque: { accepts: () => false },
  unknown: { accepts: () => false },
}

const SEARCHED = new Set(['contains', 'startsWith'])
const EQUALITIES = new Set(['=', '!=', 'in', 'not in'])

/**
 * Returns conditions of which each compares a column with values of its type. One with a value that its column can
 * never hold, such as a uuid that is none, is replaced by one that never holds; such a value is left out of an `in`.
 *
 * @throws MisuseError `store_condition` for a value of another type: a database would refuse it, or take it for
 * something else.
 */
export function toComparable(where: AnyWhere, columns: ComparedColumns, dialect: Dialect): AnyWhere {
  return where.map((condition) => toComparableCondition(condition, columns, dialect))
}

const NEVER: AnyCondition = { any: [] }

function toComparableCondition(condition: AnyCondition, columns: ComparedColumns, dialect: Dialect): AnyCondition {
  if (isRaw(condition)) return condition
  if (isEither(condition)) return { any: condition.any.map((where) => toComparable(where, columns, dialect)) }
  const [field, operator, value] = condition
  columns.checkExists(field)
  if (value === null) return condition
  const column = columns.column(field)
  checkTypes(condition, column)
  const fits = (operand: unknown): boolean => canHold(operand, column, dialect)
  if (operator === 'in') return [field, operator, value.filter(fits)]
  if (SEARCHED.has(operator)) return condition
  return (isList(value) ? value : [value]).every(fits) ? condition : NEVER
}

function checkTypes([field, operator, value]: FieldCondition, { kind, hasText = false }: ComparedColumn): void {
  if (SEARCHED.has(operator) && kind !== 'string' && !hasText) {
    throw new MisuseError(
      'store_condition',
      `The condition on \`${field}\` with \`${operator}\` needs a column of strings, not of type ${kind}.`,
    )
  }
  if (kind === 'textual' && !EQUALITIES.has(operator)) {
    throw new MisuseError(
      'store_condition',
      `The condition on \`${field}\` with \`${operator}\` needs a column whose order is known: write it as raw(…).`,
    )
  }
  const other = (isList(value) ? value : [value]).find((operand) => !COMPARISONS[kind].accepts(operand))
  if (other === undefined) return
  throw new MisuseError(
    'store_condition',
    `The condition on \`${field}\` with \`${operator}\` compares ${describe(other)} with a column of type ${kind}.`,
  )
}

/** The strings that columns of some kinds can hold. */
const FORMS: Readonly<Partial<Record<Kind, (text: string, dialect: Dialect) => boolean>>> = {
  moment: (text) => MOMENT.test(text) && isCalendarDate(text.slice(0, 10)),
  calendarDate: isCalendarDate,
  time: isTime,
  uuid: (text) => UUID.test(text),
}

/**
 * True for a value that a column of this kind can hold, so that the database neither fails on it nor reads something
 * else into it.
 */
function canHold(value: unknown, { kind, labels }: ComparedColumn, dialect: Dialect): boolean {
  if (value instanceof Date) return kind === 'epoch' || isInstant(value, dialect)
  if (isDecimalText(value, kind)) return dialect !== 'mysql' || isMysqlDecimal(value)
  const form = FORMS[kind]
  if (form !== undefined) return form(String(value), dialect)
  return kind !== 'enum' || labels === undefined || labels.includes(String(value))
}

/** True for a decimal as a string, which MySQL would compare as a number of double precision. */
export function isDecimalText(value: unknown, kind: Kind): value is string {
  return typeof value === 'string' && (kind === 'decimal' || kind === 'digits')
}

/** True for a decimal that MySQL can hold: 65 digits, at most 30 of them after the point. */
function isMysqlDecimal(text: string): boolean {
  const [whole = '', fraction = ''] = text.replace('-', '').split('.')
  return whole.length <= 35 && fraction.length <= 30
}

/** True for an existing day of the years 0001 to 9999, as `YYYY-MM-DD`. */
export function isCalendarDate(value: unknown): value is string {
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d$/.test(value) || value.startsWith('0000')) return false
  const date = new Date(`${value}T00:00:00.000Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value)
}

/** True for a time that the database can hold: MySQL would read the nearest one into any other. */
function isTime(text: string, dialect: Dialect): boolean {
  const [, hours] = TIME.exec(text) ?? []
  if (hours === undefined) return false
  if (dialect === 'mysql') return Math.abs(Number(hours)) <= 838
  return /^\d\d$/.test(hours) && (Number(hours) <= 23 || /^24:00(?::00(?:\.0+)?)?$/.test(text))
}

/** The first instant of PostgreSQL's: its year 4713 BC. */
const POSTGRES_BEGINS = -210_866_803_200_000

/**
 * True for an instant that the database can hold: beyond, MySQL reads another time, and SQLite has text in another
 * order.
 */
export function isInstant(date: Date, dialect: Dialect): boolean {
  if (dialect === 'postgres') return date.getTime() >= POSTGRES_BEGINS
  // MySQL's drivers may write the time of this zone.
  const years = dialect === 'mysql' ? [date.getUTCFullYear(), date.getFullYear()] : [date.getUTCFullYear()]
  return years.every((year) => year >= 1 && year <= 9999)
}

/**
 * Returns true if a text of a cursor may be the value of this column: an invented value must not reach a database that
 * coerces it.
 */
export function fitsCursor(text: unknown, column: ComparedColumn, dialect: Dialect): boolean {
  if (typeof text !== 'string' || text.includes('\0') || /\p{Surrogate}/u.test(text)) return false
  if (column.isRanked === true) return /^\d{1,20}$/.test(text)
  return fitsKind(text, column, dialect)
}

function fitsKind(text: string, { kind, labels }: ComparedColumn, dialect: Dialect): boolean {
  if (TIMES.has(kind)) return fitsTime(text, kind, dialect)
  if (dialect === 'postgres' && INEXACT.has(kind) && /^(?:NaN|-?Infinity)$/.test(text)) return true
  return labels?.includes(text) ?? COMPARISONS[kind].text?.test(text) ?? true
}

const TIMES: ReadonlySet<Kind> = new Set<Kind>(['date', 'moment', 'calendarDate'])
/** The kinds of numbers that PostgreSQL stores without an end, or as none. */
const INEXACT: ReadonlySet<Kind> = new Set<Kind>(['number', 'numeric', 'decimal', 'digits'])

function fitsTime(text: string, kind: Kind, dialect: Dialect): boolean {
  if (dialect === 'postgres') return /\d.*\d.*\d|^-?infinity$/.test(text)
  return COMPARISONS[kind].text?.test(text) === true && isCalendarDate(text.slice(0, 10))
}
