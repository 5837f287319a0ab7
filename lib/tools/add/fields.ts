import type { Column } from './table.js'
import type { Source } from './source.js'

/** Returns the names of a table in the code: `book_authors` is `bookAuthors`, `BookAuthor` and `/book-authors`. */
export function namesOf(source: Source): { readonly many: string; readonly one: string; readonly path: string } {
  const words = source.table.name.replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2').toLowerCase().split(/[^a-z0-9]+/).filter(
    Boolean,
  )
  const last = words.pop() ?? 'record'
  const one = singularOf(last)
  const many = one === last && source.library === 'prisma' ? pluralOf(last) : last
  const pascal = (list: readonly string[]): string =>
    list.map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`).join('')
  const all = pascal([...words, many])
  return { many: `${all[0]?.toLowerCase()}${all.slice(1)}`, one: pascal([...words, one]),
    path: [...words, many].join('-') }
}

function singularOf(word: string): string {
  if (/ies$/.test(word)) return word.replace(/ies$/, 'y')
  if (/(?:ss|x|ch|sh)es$/.test(word)) return word.slice(0, -2)
  return /[^su]s$/.test(word) ? word.slice(0, -1) : word
}

function pluralOf(word: string): string {
  if (/[^aeiou]y$/.test(word)) return `${word.slice(0, -1)}ies`
  return /(?:s|x|ch|sh)$/.test(word) ? `${word}es` : `${word}s`
}

/** True for a column that replies and lists leave out, by its name. */
export function isConfidential({ name }: Column): boolean {
  return /passw|secret|token|hash|salt/i.test(name)
}

/** True for a column that callers write: the database fills in the others. */
export function isWritten(column: Column): boolean {
  return !column.isGenerated && column.default !== 'expression' && column.kind !== 'other'
}

/** True if a create without this column fails. */
export function isRequired(column: Column): boolean {
  return isWritten(column) && !column.isNullable && column.default === undefined
}

/** A 64-bit column is read as a number, except by Drizzle, whose schema decides. */
function kindIn({ library }: Source, { kind }: Column): Column['kind'] {
  return kind === 'bigint' && library !== 'drizzle' ? 'int' : kind
}

const INPUTS = {
  int: 'param.int()',
  number: 'param.number()',
  bigint: 'param.bigint()',
  string: 'z.string()',
  uuid: 'z.uuid()',
  bool: 'param.bool()',
  date: 'param.date()',
  calendarDate: 'param.calendarDate()',
  json: 'z.json()',
  other: 'z.never()',
}

const OUTPUTS = {
  int: 'z.int()',
  number: 'z.number()',
  bigint: 'z.bigint()',
  decimal: 'z.string()',
  string: 'z.string()',
  uuid: 'z.string()',
  bool: 'z.boolean()',
  date: 'z.date()',
  calendarDate: 'z.string()',
  json: 'z.json()',
  other: 'z.never()',
}

const TYPES = {
  int: 'number',
  number: 'number',
  bigint: 'bigint',
  decimal: 'string',
  string: 'string',
  uuid: 'string',
  bool: 'boolean',
  date: 'Date',
  calendarDate: 'string',
  json: 'unknown',
  other: 'unknown',
}

export function quote(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
}

function enumOf(values: readonly string[]): string {
  return `z.enum([${values.map(quote).join(', ')}])`
}

/** Writes the schema of a field as callers send it. */
export function inputOf(source: Source, column: Column): string {
  const plain = filterOf(source, column)
  const limited = column.length === undefined || column.values !== undefined ? plain : `${plain}.max(${column.length})`
  const nullable = column.isNullable ? `${limited}.nullable()` : limited
  if (typeof column.default === 'object') {
    const { value } = column.default
    return `${nullable}.default(${typeof value === 'string' ? quote(value) : value})`
  }
  return column.isNullable ? `${nullable}.default(null)` : nullable
}

/** Writes the schema of a value to compare with. */
export function filterOf(source: Source, column: Column): string {
  if (column.values !== undefined) return enumOf(column.values)
  const kind = kindIn(source, column)
  return kind === 'decimal' ? `param.decimal({ scale: ${column.scale ?? 10} })` : INPUTS[kind]
}

/** Writes the schema of a field as clients get it. */
export function outputOf(source: Source, column: Column): string {
  const plain = column.values === undefined ? OUTPUTS[kindIn(source, column)] : enumOf(column.values)
  return column.isNullable ? `${plain}.nullable()` : plain
}

/** Writes the type of a column of a row. */
export function typeOf(source: Source, column: Column): string {
  const plain = column.values?.map(quote).join(' | ') ?? TYPES[kindIn(source, column)]
  return column.isNullable && plain !== 'unknown' ? `${plain} | null` : plain
}

/** Returns the type that the store must declare for a column, `undefined` where the driver or Drizzle knows it. */
export function declaredTypeOf({ library, dialect }: Source, { kind }: Column): string | undefined {
  if (library === 'drizzle') return undefined
  if (kind === 'bigint') return 'integer'
  if (kind === 'decimal' || kind === 'calendarDate') return kind
  if (library === 'prisma' || dialect === 'postgres') return undefined
  if (kind === 'bool') return 'boolean'
  if (kind === 'json') return kind
  return kind === 'date' && dialect === 'sqlite' ? kind : undefined
}
