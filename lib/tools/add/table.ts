/** The kinds of columns that a resource can have; `text` is a type that a row has as a string. */
export type Kind =
  | 'int'
  | 'bigint'
  | 'number'
  | 'decimal'
  | 'string'
  | 'text'
  | 'uuid'
  | 'bool'
  | 'date'
  | 'calendarDate'
  | 'json'
  | 'other'

/** A literal default of a column; `expression` for what only the database or the library can compute. */
export type Default = { readonly value: string | number | boolean | null | object } | 'expression' | undefined

/** The limits of a value: of a number, or of the length of a string. */
export interface Limits {
  readonly min?: number | undefined
  readonly max?: number | undefined
}

export interface TableName {
  readonly schema?: string | undefined
  readonly table: string
}

export interface Column {
  /** The name in a row. */
  readonly name: string
  readonly kind: Kind
  /** True for a list of values of this kind. */
  readonly isList: boolean
  /** The type as the database names it. */
  readonly type: string
  readonly isNullable: boolean
  /** True if the database gives the value: an identity, a sequence, a generated column. */
  readonly isGenerated: boolean
  readonly default: Default
  /** The bounds of a number. */
  readonly bounds: Limits
  /** The bounds of the length of a string. */
  readonly length: Limits
  /** The digits after the point of a decimal. */
  readonly scale?: number | undefined
  /** The values of an enum. */
  readonly values?: readonly string[] | undefined
  /** The values that a CHECK allows, where a row has any string. */
  readonly allowed?: readonly string[] | undefined
  /** The table that a foreign key of this column alone refers to. */
  readonly references?: TableName | undefined
}

export interface Table extends TableName {
  readonly columns: readonly Column[]
  /** The columns of the primary key. */
  readonly keys: readonly string[]
  /** The unique constraints by their names, with the columns of each. */
  readonly uniques: ReadonlyMap<string, readonly string[]>
  /** CHECK constraints that no schema expresses. */
  readonly checks: readonly string[]
  readonly isView: boolean
}

const RULES: readonly (readonly [pattern: RegExp, kind: Kind])[] = [
  [/^(?:tinyint\(1\)|bool)/, 'bool'],
  [/^(?:bigint|int8|bigserial)/, 'bigint'],
  [/^(?:smallint|mediumint|tinyint|int2|int4|integer|int\b|serial|year)/, 'int'],
  [/^(?:real|double|float)/, 'number'],
  [/^(?:numeric|decimal)/, 'decimal'],
  [/^uuid/, 'uuid'],
  [/^(?:timestamp|datetime)/, 'date'],
  [/^date\b/, 'calendarDate'],
  [/^json/, 'json'],
  [/^(?:time|inet|cidr|macaddr|money|xml|bit varying)/, 'text'],
  [/^(?:(?:var|n|nvar)?char|character|(?:tiny|medium|long)?text|citext|clob|name$|enum)/, 'string'],
]

/** Returns the kind of a type of SQL: `character varying(80)`, `tinyint(1)`. */
export function kindOf(type: string): Kind {
  const lower = type.toLowerCase()
  return RULES.find(([pattern]) => pattern.test(lower))?.[1] ?? 'other'
}

const NUMERAL = /^-?\d+(?:\.\d+)?$/

/** Reads the default of a column from its text in SQL: `'user'::text`, `0`, `false`, `now()`. */
export function defaultOf(text: string | null | undefined, kind: Kind, isList = false): Default {
  if (/^\(?null\b/i.test(text ?? 'null')) return undefined
  const bare = (text ?? '').replace(/^\((.*)\)$/s, '$1')
  const [, quoted] = /^'((?:[^']|'')*)'(?:::[\w "().[\],]+)?$/s.exec(bare) ?? []
  const string = quoted?.replaceAll("''", "'")
  if (isList) return string === '{}' ? { value: [] } : 'expression'
  return literalOf(string ?? bare.replace(/::[a-z ]+$/i, ''), kind, string !== undefined)
}

function literalOf(plain: string, kind: Kind, isQuoted: boolean): Default {
  if (kind === 'bool' && BOOLEAN.test(plain)) return { value: /^(?:t|true|1|b'1')$/i.test(plain) }
  if (NUMBERS.has(kind) && NUMERAL.test(plain)) return { value: kind === 'decimal' ? plain : Number(plain) }
  if (kind === 'json' && isQuoted) return jsonOf(plain)
  return kind === 'string' && isQuoted ? { value: plain } : 'expression'
}

const BOOLEAN = /^(?:true|false|[01tf]|b'[01]')$/i
const NUMBERS = new Set<Kind>(['int', 'number', 'bigint', 'decimal'])

function jsonOf(text: string): Default {
  try {
    return { value: JSON.parse(text) as object }
  } catch {
    return 'expression'
  }
}
