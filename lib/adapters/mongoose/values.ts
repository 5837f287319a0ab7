import { isObject, messageOf, mapValues } from '../../core/index.js'
import { misfit } from '../../crud/contract/index.js'
import { isCalendarDate } from '../sql/comparable.js'
import type { Column, Model, Values } from './library.js'

export type Columns = ReadonlyMap<string, Column>

/** The part of a store that stays the same inside a transaction. */
export interface Known {
  readonly model: Model
  readonly columns: Columns
}

/** Converts a document of the database into a row: a path that it does not have is null. */
export function rowOf(document: Values, columns: Columns): Values {
  const row: Record<string, unknown> = {}
  for (const [name, column] of columns) {
    if (!column.isHidden) row[name] = readIn(document[column.path] ?? null, column)
  }
  return row
}

function readIn(value: unknown, { kind }: Column): unknown {
  if (value === null) return null
  if (kind === 'calendarDate' && value instanceof Date) return value.toISOString().slice(0, 10)
  return kind === 'bigint' && typeof value !== 'object' ? BigInt(value as number) : plain(value)
}

/** The types of BSON that are a value of their own in a row. */
const BSON: Readonly<Record<string, (value: object) => unknown>> = {
  ObjectId: String,
  Decimal128: String,
  Long: (value) => BigInt((value as { toString(): string }).toString()),
  Int32: Number,
  Double: Number,
  Binary: (value) => bytesIn(value as Binary),
}

interface Binary {
  readonly buffer: Uint8Array
  readonly sub_type: number
  toUUID(): { toString(): string }
}

/** A UUID is a string in a row; other bytes are unchanged. */
function bytesIn(binary: Binary): unknown {
  return binary.sub_type === 4 ? String(binary.toUUID()) : binary.buffer
}

/** Converts the types of BSON, also inside of lists and documents. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (!isObject(value) || value instanceof Date || value instanceof Uint8Array) return value
  const type = '_bsontype' in value ? BSON[String(value._bsontype)] : undefined
  if (type !== undefined) return type(value)
  return mapValues(value, plain)
}

/** Converts the fields of a row into those of a document. @throws ColumnViolation for a calendar date that is none. */
export function documentOf(fields: Values, columns: Columns): Values {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => {
    const { path = name, kind, type } = columns.get(name) ?? {}
    if (kind !== 'calendarDate' || value === null) return [path, value]
    if (!isCalendarDate(value)) throw misfit(name, messageOf('field.format.date'))
    return [path, dayOf(value, type?.instance)]
  }))
}

/** Returns a day as the path has it: a string, or midnight of UTC. */
export function dayOf(day: string, instance: string | undefined): unknown {
  return instance === 'Date' ? new Date(`${day}T00:00:00.000Z`) : day
}
