import { messageOf, toJson } from '../../core/index.js'
import { misfit } from '../../crud/contract/index.js'
import { isCalendarDate, isInstant, isNumeral, type ComparedColumn } from './comparable.js'
import type { Columns, ColumnType, Dialect } from './kinds.js'

type Values = Readonly<Record<string, unknown>>

const READ: Readonly<Record<ColumnType, (value: unknown) => unknown>> = {
  integer: exactNumber,
  bigint: exactBigint,
  number: Number,
  decimal: String,
  string: (value) => value,
  boolean: readBoolean,
  date: (value) => (value instanceof Date ? value : new Date(value as string)),
  calendarDate: calendarDate,
  json: readJson,
}

/** Converts a row of the driver to JavaScript values. */
export function readRow(row: Values, columns: Columns): Values {
  const read: Record<string, unknown> = { ...row }
  for (const [name, type] of Object.entries(columns)) {
    const value = read[name]
    if (value !== null && value !== undefined) read[name] = READ[type](value)
  }
  return read
}

/** Converts a value into one that the driver takes. */
export function writeValue(name: string, value: unknown, columns: Columns, dialect: Dialect): unknown {
  if (value === null || value === undefined) return value
  if (typeOf(name, columns) === 'json') return toJson(value)
  if (dialect === 'sqlite' && typeof value === 'boolean') return Number(value)
  return dialect === 'sqlite' && value instanceof Date ? value.toISOString() : value
}

/**
 * Checks a value before it is stored.
 *
 * @throws ColumnViolation for a calendar date that is none: a database would take it for a time in some zone, or read
 * "today" into it; for a decimal that is no string of digits, since a number may have lost some; for an integer that
 * the drivers of SQLite refuse; for an instant that SQLite would not sort as text or that MySQL cannot hold. PostgreSQL
 * refuses such an instant itself.
 */
export function checkStored(name: string, value: unknown, columns: Columns, dialect: Dialect): void {
  if (value === null || value === undefined) return
  const type = typeOf(name, columns)
  if (isBeyond(value, type, dialect)) throw misfit(name, messageOf('field.out_of_range'))
  if (type === 'calendarDate') checkDay(name, value, dialect)
  else if (type === 'decimal' && !isNumeral(value)) throw misfit(name, messageOf('field.type.decimal'))
}

/**
 * Checks the digits after the point: some databases round them to what a column holds.
 *
 * @param isDecimal true for a decimal whose digits are all kept
 * @throws ColumnViolation for a fraction in a column of whole numbers, for a decimal that is no string of digits, and
 * for one with more digits after the point than its column has.
 */
export function checkFraction(
  name: string,
  value: unknown,
  column: ComparedColumn | undefined,
  isDecimal = column?.kind === 'decimal',
): void {
  if (column?.isWhole === true && hasFraction(value)) throw misfit(name, messageOf('field.type.int'))
  if (isDecimal && column !== undefined) checkDecimal(name, value, column)
}

function checkDecimal(name: string, value: unknown, { kind, isWhole, scale }: ComparedColumn): void {
  const isScalar = ['string', 'number', 'bigint'].includes(typeof value)
  const isNumber = kind === 'digits' && isWhole !== true
  if (isNumber && isScalar && !isNumeral(value)) throw misfit(name, messageOf('field.type.decimal'))
  if (scale === undefined) return
  const [, digits = ''] = /\.(\d*[1-9])0*$/.exec(String(value)) ?? []
  if (digits.length > Math.max(scale, 0)) throw misfit(name, messageOf('field.decimal_scale', { scale }))
}

function hasFraction(value: unknown): boolean {
  return typeof value === 'number'
    ? !Number.isInteger(value)
    : typeof value === 'string' && /^\s*[-+]?\d*\.0*[1-9]\d*\s*$/.test(value)
}

/** True for a value that cannot be stored, or not be read again. */
function isBeyond(value: unknown, type: ColumnType | undefined, dialect: Dialect): boolean {
  if (value instanceof Date) return type !== 'calendarDate' && !isReadable(value, dialect)
  return type === 'integer' ? isUnsafe(value) : dialect === 'sqlite' && isHuge(value)
}

/** True for an integer that JavaScript cannot tell from others. */
function isUnsafe(value: unknown): boolean {
  const number = typeof value === 'bigint' ? Number(value) : value
  return Number.isInteger(number) && !Number.isSafeInteger(number)
}

/** True for an integer that has more than 64 bits. */
export function isHuge(value: unknown): value is bigint {
  return typeof value === 'bigint' && BigInt.asIntN(64, value) !== value
}

/** True for an instant that is read as it was stored; a driver of MySQL reads an early year as a later one. */
function isReadable(date: Date, dialect: Dialect): boolean {
  if (dialect === 'postgres') return true
  return isInstant(date, dialect)
    && (dialect === 'sqlite' || Math.min(date.getUTCFullYear(), date.getFullYear()) >= 1000)
}

function checkDay(name: string, value: unknown, dialect: Dialect): void {
  if (typeof value !== 'string' || !isCalendarDate(value)) throw misfit(name, messageOf('field.format.date'))
  // MySQL's DATE begins in 1000; its drivers read an earlier year as one of the twentieth century.
  if (dialect === 'mysql' && value < '1000') throw misfit(name, messageOf('field.out_of_range'))
}

function typeOf(name: string, columns: Columns): ColumnType | undefined {
  return Object.hasOwn(columns, name) ? columns[name] : undefined
}

/** Drivers of MySQL return a `tinyint` as a number, and a `bit` as bytes. */
function readBoolean(value: unknown): boolean {
  if (value instanceof Uint8Array) return value.some((byte) => byte !== 0)
  return typeof value === 'boolean' ? value : Boolean(Number(value))
}

/** Parses a text of JSON, unless the driver has: for MariaDB, where JSON is a string, some do. */
export function readJson(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return value
  }
}

/** @throws RangeError where a number would lose digits: a wrong key is worse than an error. */
function exactNumber(value: unknown): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number)) {
    throw new RangeError('A whole number beyond 9007199254740991 was stored: read its column as a bigint.')
  }
  return number
}

/** @throws RangeError for a number that the driver has rounded: two keys could be one. */
function exactBigint(value: unknown): bigint {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) {
    throw new RangeError(
      'A bigint was read as a number, which has lost digits: let the driver return it exactly, with mysql2 by '
        + '`supportBigNumbers`, with better-sqlite3 by `defaultSafeIntegers`.',
    )
  }
  return BigInt(value as string)
}

/**
 * Returns the day that a driver has read. Drivers make a Date of it: the midnight of their zone, which is that of the
 * process or UTC.
 *
 * @throws RangeError for a Date that is neither, as of a driver that was given another zone.
 */
function calendarDate(value: unknown): string {
  if (typeof value === 'string') return value.slice(0, 10)
  if (value instanceof Date) {
    const local = new Date(value)
    local.setHours(0, 0, 0, 0)
    if (local.getTime() === value.getTime()) return dayOf(value.getFullYear(), value.getMonth(), value.getDate())
    if (value.getTime() % 86_400_000 === 0) return value.toISOString().slice(0, 10)
  }
  throw new RangeError('A calendar date was read as a time: let the driver return columns of type DATE as strings.')
}

function dayOf(year: number, month: number, day: number): string {
  return `${String(year).padStart(4, '0')}-${String(month + 1).padStart(2, '0')}-${String(day).padStart(2, '0')}`
}
