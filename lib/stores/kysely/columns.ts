import type { Dialect } from './dialect.js'

/** What a column holds, where the driver's own reading is not what you want. */
export interface ColumnTypes {
  /** A whole number that JavaScript can hold: drivers hand a `bigint` over as text. */
  integer: number
  bigint: bigint
  /** A decimal, as a number. */
  number: number
  boolean: boolean
  /** In SQLite a text, as `toISOString` writes it. */
  date: Date
  /** Anything, as JSON in a text or JSON column. */
  json: unknown
}

export type ColumnType = keyof ColumnTypes
export type Columns = Readonly<Record<string, ColumnType>>

type Values = Readonly<Record<string, unknown>>

const READ: Readonly<Record<ColumnType, (value: unknown) => unknown>> = {
  integer: exactNumber,
  bigint: (value) => BigInt(value as string),
  number: Number,
  boolean: (value) => (typeof value === 'boolean' ? value : Boolean(Number(value))),
  date: (value) => (value instanceof Date ? value : new Date(value as string)),
  json: (value) => (typeof value === 'string' ? JSON.parse(value) as unknown : value),
}

/** A row as JavaScript has it, from what the driver made of it. */
export function readRow(row: Values, columns: Columns): Values {
  const read = ([name, value]: readonly [string, unknown]): [string, unknown] => {
    const type = value === null ? undefined : typeOf(name, columns)
    return [name, type === undefined ? value : READ[type](value)]
  }
  return Object.fromEntries(Object.entries(row).map(read))
}

/** A value as the driver takes it. */
export function writeValue(name: string, value: unknown, columns: Columns, dialect: Dialect): unknown {
  if (value === null || value === undefined) return value
  if (typeOf(name, columns) === 'json') return JSON.stringify(value)
  if (dialect === 'sqlite' && typeof value === 'boolean') return Number(value)
  return dialect === 'sqlite' && value instanceof Date ? value.toISOString() : value
}

export function typeOf(name: string, columns: Columns): ColumnType | undefined {
  return Object.hasOwn(columns, name) ? columns[name] : undefined
}

/** @throws RangeError where a number would lose digits: a wrong key is worse than an error. */
function exactNumber(value: unknown): number {
  const number = Number(value)
  if (!Number.isSafeInteger(number)) throw new RangeError('A whole number beyond 9007199254740991 was stored: read its column as a bigint.')
  return number
}
