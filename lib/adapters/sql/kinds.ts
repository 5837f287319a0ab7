import { MisuseError, show, type MisuseCode } from '../../core/index.js'

/** The databases whose SQL the stores speak; `mysql` is MariaDB too. */
export type Dialect = 'postgres' | 'mysql' | 'sqlite'

/** The types that the option `columns` names, with the values that a row has. */
export interface ColumnTypes {
  /** A whole number that JavaScript can hold: drivers return a `bigint` column as text. */
  integer: number
  bigint: bigint
  /** A number with a fraction: drivers return a decimal as text. */
  number: number
  /** A decimal as a string with all of its digits. SQLite has none. */
  decimal: string
  string: string
  boolean: boolean
  /** An instant. In SQLite a text, as `toISOString` writes it. */
  date: Date
  /** A day without a time, `"2026-12-01"`: the same string in every time zone. */
  calendarDate: string
  /** Any value, as JSON in a text or JSON column. */
  json: unknown
}

export type ColumnType = keyof ColumnTypes
// dprint-ignore
const COLUMN_TYPES: readonly ColumnType[] = [
  'integer', 'bigint', 'number', 'decimal', 'string', 'boolean', 'date', 'calendarDate', 'json',
]
/** The option `columns`: types by column. */
export type Columns = Readonly<Record<string, ColumnType>>
/** The option `columns` without any: every column is read as the library reads it. */
export type NoColumns = Readonly<Record<symbol, never>>
/** The value of a column that `columns` types; a `json` column keeps its own type. */
export type TypedValue<Value, Type extends ColumnType> = Type extends 'json' ? Exclude<Value, undefined>
  : ColumnTypes[Type] | Extract<Value, null>

/**
 * Checks the option `columns` of a store.
 *
 * @param names the columns of the library's schema, where the library has one
 * @throws MisuseError with this code, for a type that does not exist and for a name that is no column.
 */
export function checkColumns(
  store: string,
  columns: Readonly<Record<string, unknown>>,
  code: MisuseCode,
  names?: ReadonlySet<string>,
): asserts columns is Columns {
  for (const [name, type] of Object.entries(columns)) {
    if (names?.has(name) === false) {
      const expected = [...names].join(', ')
      throw new MisuseError(code, `${store}: \`columns\` names \`${name}\`, but the columns are ${expected}.`)
    }
    if (!isColumnType(type)) {
      const types = COLUMN_TYPES.join(', ')
      throw new MisuseError(code, `${store}: \`columns.${name}\` is ${show(type)}. The types are ${types}.`)
    }
  }
}

export function isColumnType(type: unknown): type is ColumnType {
  return COLUMN_TYPES.some((columnType) => columnType === type)
}

/**
 * The types of columns as a user or the schema of a library declares them; `epoch` and `moment` are for libraries that
 * convert values themselves.
 */
export type Declared = Readonly<Record<string, ColumnType | 'digits' | 'epoch' | 'moment'>>

export function declaredTypes<Column, Type extends Declared[string]>(
  columns: readonly (readonly [name: string, column: Column])[],
  typeOf: (column: Column) => Type | undefined,
): Readonly<Record<string, Type>> {
  return Object.fromEntries(columns.flatMap(([name, column]) => {
    const type = typeOf(column)
    return type === undefined ? [] : [[name, type] as const]
  }))
}

/**
 * The kind of a column in comparisons: a declared type, or one derived from the type in the database.
 *
 * `numeric` is a SQLite column that prefers numbers, `digits` a number that a driver may return as a bigint or as
 * text, `flag` a number that may be meant as a boolean, `epoch` a Date that is stored as a number, `moment` an instant
 * that a row has as a string, `time` a time of day, `textual` a PostgreSQL type that its text is compared with;
 * `opaque` cannot be compared.
 */
export type Kind =
  | ColumnType
  | 'numeric'
  | 'digits'
  | 'flag'
  | 'epoch'
  | 'moment'
  | 'time'
  | 'uuid'
  | 'enum'
  | 'textual'
  | 'opaque'
  | 'unknown'

export interface DatabaseColumn {
  readonly type: string
  readonly labels?: readonly string[] | undefined
  /** The digits after the point of a decimal, where they are limited. */
  readonly scale?: number | undefined
  /** True for a column of PostgreSQL whose collation takes different strings for equal. */
  readonly isNondeterministic?: boolean
}

const RULES: Readonly<Record<Dialect, readonly (readonly [type: RegExp, kind: Kind])[]>> = {
  // Names of pg_type.
  postgres: [
    [/^(?:int2|int4|float4|float8|oid)$/, 'number'],
    [/^(?:int8|numeric)$/, 'digits'],
    [/^(?:text|varchar|bpchar|citext|name)$/, 'string'],
    [/^bool$/, 'boolean'],
    [/^timestamp(?:tz)?$/, 'date'],
    [/^date$/, 'calendarDate'],
    [/^time$/, 'time'],
    [/^uuid$/, 'uuid'],
    [/^jsonb?$/, 'json'],
    [/^bytea$/, 'opaque'],
  ],
  // COLUMN_TYPE of information_schema.columns.
  mysql: [
    [/^tinyint\(1\)/, 'flag'],
    [/^(?:tinyint|smallint|mediumint|int|year|float|double)\b/, 'number'],
    [/^(?:bigint|decimal)\b/, 'digits'],
    [/^(?:char|varchar|tinytext|text|mediumtext|longtext|enum|set)\b/, 'string'],
    [/^(?:datetime|timestamp)\b/, 'date'],
    [/^date$/, 'calendarDate'],
    [/^time\b/, 'time'],
    [/^uuid$/, 'uuid'],
    [/^json$/, 'json'],
    [/^(?:binary|varbinary|tinyblob|blob|mediumblob|longblob|bit)\b/, 'opaque'],
  ],
  // A declared type, by the rules of https://www.sqlite.org/datatype3.html#determination_of_column_affinity after our
  // own.
  sqlite: [
    [/^BOOL(?:EAN)?$/, 'flag'],
    [/^DATE$/, 'calendarDate'],
    [/INT/, 'numeric'],
    [/CHAR|CLOB|TEXT/, 'string'],
    [/BLOB/, 'opaque'],
    [/REAL|FLOA|DOUB|^(?:NUMERIC|DECIMAL)\b/, 'numeric'],
  ],
}

export function kindOf(dialect: Dialect, { type, labels }: DatabaseColumn): Kind {
  const name = dialect === 'sqlite' ? type.toUpperCase() : type.toLowerCase()
  const [, kind] = RULES[dialect].find(([rule]) => rule.test(name)) ?? []
  if (kind !== undefined) return kind
  if (dialect === 'sqlite') return 'unknown'
  return dialect === 'mysql' ? 'opaque' : labels === undefined ? 'textual' : 'enum'
}

/** Types that may be declared of a column: a comparison with another one would be coerced. */
const DECLARABLE: Readonly<Record<Kind, readonly Declared[string][]>> = {
  number: ['integer', 'bigint', 'number', 'boolean'],
  numeric: ['integer', 'bigint', 'number', 'boolean', 'date', 'digits', 'epoch'],
  digits: ['integer', 'bigint', 'number', 'decimal', 'boolean', 'digits', 'epoch'],
  flag: ['boolean', 'integer', 'number'],
  boolean: ['boolean'],
  string: ['string', 'json', 'date', 'calendarDate'],
  date: ['date', 'moment'],
  epoch: ['epoch'],
  moment: ['moment'],
  calendarDate: ['calendarDate', 'date', 'string'],
  time: ['string'],
  uuid: ['string'],
  enum: ['string'],
  textual: ['string', 'json'],
  json: ['json'],
  opaque: ['json'],
  unknown: [...COLUMN_TYPES, 'digits', 'epoch', 'moment'],
  integer: ['integer'],
  bigint: ['bigint'],
  decimal: ['decimal'],
}

/**
 * Returns the kind of a column that is declared, described by the database, or both; `undefined` where the declaration
 * contradicts the database, so that a comparison would be coerced.
 */
export function combineKinds(declared: Declared[string] | undefined, stored: Kind | undefined): Kind | undefined {
  if (declared === undefined) return stored ?? 'unknown'
  if (stored === undefined) return declared
  if (!DECLARABLE[stored].includes(declared)) return undefined
  // What the database knows of a string is narrower.
  return declared === 'string' && stored !== 'unknown' ? stored : declared
}
