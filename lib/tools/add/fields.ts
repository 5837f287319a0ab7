import type { Library } from './libraries.js'
import type { Column, Limits, Table } from './table.js'

/** Describes the way in which a library reads the columns of a table. */
export interface Reading {
  readonly library: Library
  readonly dialect: 'postgres' | 'mysql' | 'sqlite'
}

/** True for a column with a name that says that clients must not see it. */
export function isConfidential({ name, kind }: Column): boolean {
  return (kind === 'string' || kind === 'text') && /passw|secret|token|salt|hash(?!tag)/i.test(name)
}

/** True for a column that has a schema: of a type that is known, under a name that an object can have. */
export function isKnown({ name, kind }: Column): boolean {
  return kind !== 'other' && !isInherited(name)
}

/** True for a name that every object has, such as `constructor`: TypeScript takes it for that property. */
export function isInherited(name: string): boolean {
  return name in {}
}

/** True for a column that callers write: the database or the library fills in the others. */
export function isWritten(column: Column): boolean {
  return isKnown(column) && !column.isGenerated && column.default !== 'expression'
}

export function isShown(column: Column): boolean {
  return isKnown(column) && !isConfidential(column)
}

/** True if a create without this column fails. */
export function isRequired(column: Column): boolean {
  return isWritten(column) && !column.isNullable && column.default === undefined
}

/** True for a column whose values are unique by themselves. */
export function isUnique({ uniques, keys }: Table, { name }: Column): boolean {
  return [keys, ...uniques.values()].some((columns) => columns.length === 1 && columns[0] === name)
}

/** The types that a store must declare, by the kinds of columns. */
const DECLARED: Readonly<Partial<Record<Column['kind'], string>>> = {
  bigint: 'integer',
  calendarDate: 'calendarDate',
  decimal: 'decimal',
  json: 'json',
  bool: 'boolean',
  date: 'date',
}

/** Returns the type that the store must declare for a column, `undefined` where it is read so anyway. */
export function declaredTypeOf({ library, dialect }: Reading, { kind, isList }: Column): string | undefined {
  const isConverted = kind === 'bigint' || kind === 'calendarDate'
  if (isList || library === 'drizzle' || (library === 'prisma' && !isConverted)) return undefined
  const isRead = (kind === 'bool' && dialect === 'postgres') || (kind === 'date' && dialect !== 'sqlite')
  return isRead ? undefined : DECLARED[kind]
}

/** A 64-bit column is read as a number, except by Drizzle, whose schema decides. */
function kindIn({ library }: Reading, { kind, isList }: Column): Column['kind'] {
  return kind === 'bigint' && library !== 'drizzle' && !isList ? 'int' : kind
}

interface Forms {
  readonly input: string
  readonly output: string
  readonly type: string
}

const FORMS: Readonly<Record<Column['kind'], Forms>> = {
  int: { input: 'param.int()', output: 'z.int()', type: 'number' },
  bigint: { input: 'param.bigint()', output: 'z.bigint()', type: 'bigint' },
  number: { input: 'param.number()', output: 'z.number()', type: 'number' },
  decimal: { input: 'param.decimal()', output: 'z.string()', type: 'string' },
  string: { input: 'z.string()', output: 'z.string()', type: 'string' },
  text: { input: 'z.string()', output: 'z.string()', type: 'string' },
  uuid: { input: 'z.guid()', output: 'z.guid()', type: 'string' },
  bool: { input: 'param.bool()', output: 'z.boolean()', type: 'boolean' },
  date: { input: 'param.date()', output: 'z.date()', type: 'Date' },
  calendarDate: { input: 'param.calendarDate()', output: 'z.string()', type: 'string' },
  json: { input: 'z.json()', output: 'z.json()', type: 'unknown' },
  other: { input: 'z.never()', output: 'z.never()', type: 'unknown' },
}

/** Writes a string of JavaScript. */
export function quote(text: string): string {
  const marks: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\u2028': '\\u2028', '\u2029': '\\u2029' }
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'"
  const plain = text.replaceAll('\\', '\\\\').replaceAll(mark, `\\${mark}`)
  return `${mark}${plain.replaceAll(/[\n\r\u2028\u2029]/g, (character) => marks[character] ?? '')}${mark}`
}

/** Writes a list, each element on a line of its own where one line is too long for all. */
export function listed(before: string, [open, close]: readonly [string, string], parts: readonly string[]): string {
  const space = open === '{' ? ' ' : ''
  const line = `${before}${open}${space}${parts.join(', ')}${space}${close}`
  if (line.length <= 110) return line
  const indent = /^ */.exec(before)?.[0] ?? ''
  return `${before}${open}\n${parts.map((part) => `${indent}  ${part},\n`).join('')}${indent}${close}`
}

/** True for a name that needs no quotes, which a parameter of a query can have with `-` in front, too. */
export function isPlain(name: string): boolean {
  return /^[a-z_$][\w$]*$/i.test(name)
}

export function property(name: string): string {
  return isPlain(name) ? name : quote(name)
}

/** Writes the access to a property of a value. */
export function member(value: string, name: string): string {
  return isPlain(name) ? `${value}.${name}` : `${value}[${quote(name)}]`
}

function enumOf(values: readonly string[]): string {
  return `z.enum([${values.map(quote).join(', ')}])`
}

/** Writes the schema of a value that callers send: in a path, a filter or a field. */
export function valueOf(reading: Reading, column: Column): string {
  const values = column.values ?? column.allowed
  if (values !== undefined) return enumOf(values)
  const kind = kindIn(reading, column)
  if (kind === 'decimal') return `param.decimal({ scale: ${column.scale ?? 10} })`
  const limits = kind === 'string' ? column.length : kind === 'int' || kind === 'number' ? column.bounds : {}
  return `${FORMS[kind].input}${limitsOf(limits)}`
}

function limitsOf({ min, max }: Limits): string {
  return `${min === undefined ? '' : `.min(${min})`}${max === undefined ? '' : `.max(${max})`}`
}

/** Writes the schema of a field as callers send it. */
export function inputOf(reading: Reading, column: Column): string {
  const plain = valueOf(reading, column)
  const whole = column.isList ? `z.array(${plain})` : plain
  const nullable = column.isNullable ? `${whole}.nullable()` : whole
  if (typeof column.default === 'object')
    return `${nullable}.default(${literal(column.default.value, column, kindIn(reading, column))})`
  return column.isNullable ? `${nullable}.default(null)` : nullable
}

function literal(value: unknown, { scale = 0 }: Column, kind: Column['kind']): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  if (kind === 'decimal') return quote(withScale(text, scale))
  if (kind === 'bigint') return `${text}n`
  return typeof value === 'string' ? quote(value) : text
}

/** Writes a decimal with exactly so many digits after the point, as `param.decimal` does. */
function withScale(text: string, scale: number): string {
  const [whole = '0', fraction = ''] = text.split('.')
  return scale === 0 ? whole : `${whole}.${fraction.padEnd(scale, '0').slice(0, scale)}`
}

/** Writes the schema of a field as clients get it. */
export function outputOf(reading: Reading, column: Column): string {
  const kind = kindIn(reading, column)
  // The type of JSON of Prisma has no schema.
  const form = kind === 'json' && reading.library === 'prisma' ? 'z.unknown()' : FORMS[kind].output
  const plain = column.values === undefined ? form : enumOf(column.values)
  const listed = column.isList ? `z.array(${plain})` : plain
  return column.isNullable ? `${listed}.nullable()` : listed
}

export function typeOf(reading: Reading, column: Column): string {
  const plain = column.values?.map(quote).join(' | ') ?? FORMS[kindIn(reading, column)].type
  const listed = column.isList ? (plain.includes('|') ? `(${plain})[]` : `${plain}[]`) : plain
  return column.isNullable && plain !== 'unknown' ? `${listed} | null` : listed
}
