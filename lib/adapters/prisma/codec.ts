import { isList, MisuseError, toJson, messageOf, mapValues } from '../../core/index.js'
import { misfit } from '../../crud/contract/index.js'
import { isHuge, readRow } from '../sql/columns.js'
import type { Catalog } from '../sql/catalog.js'
import { declaredTypes, type Columns, type ColumnType, type Declared, type Dialect } from '../sql/kinds.js'
import { sql, type Sql } from '../sql/statement.js'
import type { Codec, Row } from '../sql/table.js'
import type { Field, Schema } from './library.js'

/** The type of a row's value for each type of Prisma, unless `columns` names another. */
const TYPES = new Map<string, ColumnType>([
  ['Int', 'number'],
  ['BigInt', 'bigint'],
  ['Float', 'number'],
  ['Boolean', 'boolean'],
  ['DateTime', 'date'],
  ['Json', 'json'],
])

/** Returns the type of a row's value by the schema. SQLite has no narrower one, and Prisma would cut off a fraction. */
function typeIn(dialect: Dialect, type: string): ColumnType | undefined {
  return dialect === 'sqlite' && type === 'Int' ? 'integer' : TYPES.get(type)
}

/** Returns the types that conditions compare with; the types of the database are narrower for strings and enums. */
export function declaredOf({ fields, isEpoch, dialect }: Schema, columns: Columns): Declared {
  const typeOf = ({ name, type, isList }: Field): Declared[string] | undefined => {
    if (columns[name] !== undefined) return columns[name]
    if (isList) return 'json'
    if (type === 'DateTime' && isEpoch) return 'epoch'
    return type === 'BigInt' || type === 'Decimal' ? 'digits' : typeIn(dialect, type)
  }
  return declaredTypes([...fields], typeOf)
}

/**
 * Writes a column of a selection. What adapters read in different ways is selected as a string: a decimal with all of
 * its digits, JSON, and the values of an enum or of a list of them.
 */
export function selectAs({ name, type, isEnum, isList }: Field, dialect: Dialect): Sql {
  const column = { column: name }
  const text = dialect === 'mysql' ? 'char' : 'text'
  if (isList) return isEnum ? sql`cast(to_jsonb(${column}) as text)` : [column]
  const isText = type === 'Decimal' || type === 'Json' || isEnum || (dialect === 'sqlite' && type === 'String')
  return isText ? [...sql`cast(${column} as `, `${text})`] : [column]
}

/** Converts values between rows, the arguments of Prisma's methods, and the parameters of its raw queries. */
export function codecOf(schema: Schema, columns: Columns, catalog: Catalog): Codec {
  const { fields, dialect } = schema
  const types = declaredTypes([...fields],
    ({ name, type, isList }) => isList ? undefined : columns[name] ?? typeIn(dialect, type))
  return {
    compared: (column, value) => parameterOf(value, column, schema, catalog),
    labels: (column) => {
      const names = [...fields.get(column)?.labels.keys() ?? []]
      return names.length === 0 ? undefined : names
    },
    stored: (row) => convertRow(row, schema, (value, field) => toArgument(value, field, columns[field.name])),
    read: (row) => readRow(convertRow(row, schema, enumNames), types),
  }
}

function convertRow(row: Row, { fields }: Schema, convert: (value: unknown, field: Field) => unknown): Row {
  return mapValues(row, (value, name) => {
    const field = fields.get(name)
    return field === undefined ? value : convert(value, field)
  })
}

function parameterOf(value: unknown, name: string, { fields, dialect }: Schema, catalog: Catalog): unknown {
  if (typeof value === 'boolean' && dialect !== 'postgres') return Number(value)
  if (value instanceof Date && catalog.stored(name) === 'calendarDate') {
    if (value.getTime() % 86_400_000 === 0) return value.toISOString().slice(0, 10)
    throw new MisuseError(
      'store_condition',
      `The condition on \`${name}\` compares a time with a column of days; declare it as { ${name}: 'calendarDate' }.`,
    )
  }
  return typeof value === 'string' ? fields.get(name)?.labels.get(value) ?? value : value
}

/** Converts the values of an enum, and a list of them, into the names that Prisma gives them. */
export function enumNames(value: unknown, field: Field): unknown {
  if (value === null) return field.isList ? [] : null
  if (!field.isEnum) return value
  const names = new Map([...field.labels].map(([name, label]) => [label, name]))
  const nameOf = (label: unknown): unknown => names.get(String(label)) ?? label
  if (!field.isList) return nameOf(value)
  const labels: unknown = JSON.parse(value as string)
  return isList(labels) ? labels.map(nameOf) : labels
}

/** Means NULL to Prisma in a column of JSON, where `null` could mean the value of JSON. */
const DB_NULL = { [Symbol.for('prisma.objectEnumValue')]: true, _getName: () => 'DbNull' }

/**
 * Converts a value into one that `create` and `updateMany` take.
 *
 * @throws ColumnViolation for an object: Prisma would take it for an operation, such as `{ increment: 1 }`.
 */
function toArgument(value: unknown, { name, type, isList }: Field, declared: ColumnType | undefined): unknown {
  if (type === 'Json' && !isList) return value === null ? DB_NULL : value
  if (value === null) return null
  const convert = (each: unknown): unknown => {
    if (type === 'Json') return each
    if (each === null || !isScalar(each)) throw misfit(name, messageOf('field.unreadable'))
    return toScalar(each, name, type, declared)
  }
  if (!isList) return convert(value)
  if (!Array.isArray(value)) throw misfit(name, messageOf('field.unreadable'))
  return { set: value.map(convert) }
}

function toScalar(value: unknown, name: string, type: string, declared: ColumnType | undefined): unknown {
  if (type === 'BigInt' && typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  // Prisma's own error about it names no field.
  if (isHuge(value)) throw misfit(name, messageOf('field.out_of_range'))
  return type === 'DateTime' ? instantOf(name, value, declared) : value
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value instanceof Date || value instanceof Uint8Array
}

/**
 * @throws ColumnViolation for an instant as a string, which could be one of another zone, and for one of a year that
 * Prisma's adapters do not write, before 1, or do not read, after 9999.
 */
function instantOf(name: string, value: unknown, declared: ColumnType | undefined): unknown {
  if (declared === 'calendarDate') return new Date(`${String(value)}T00:00:00.000Z`)
  if (!(value instanceof Date)) throw misfit(name, messageOf('field.unreadable'))
  const year = value.getUTCFullYear()
  if (year < 1 || year > 9999) throw misfit(name, messageOf('field.out_of_range'))
  return value
}

/** Converts a row that a Prisma method has returned into one as the store's own queries return it. */
export function asSelected(row: Row, schema: Schema): Row {
  return convertRow(row, schema, (value, { type, isEnum, isList, labels }) => {
    const labelOf = (each: unknown): unknown => labels.get(String(each)) ?? each
    if (isEnum) return isList ? JSON.stringify((value as unknown[]).map(labelOf)) : labelOf(value)
    return type === 'Json' && !isList && value !== null ? toJson(value) : value
  })
}
