/** The kinds of columns that a resource can have; `other` is none of them. */
export type Kind =
  | 'int'
  | 'number'
  | 'bigint'
  | 'decimal'
  | 'string'
  | 'uuid'
  | 'bool'
  | 'date'
  | 'calendarDate'
  | 'json'
  | 'other'

/** A literal default of a column; `expression` for what only the database can compute. */
export type Default = { readonly value: string | number | boolean } | 'expression' | undefined

export interface Column {
  /** The name in a row. */
  readonly name: string
  readonly kind: Kind
  /** The type as the schema names it. */
  readonly type: string
  readonly isNullable: boolean
  readonly isGenerated: boolean
  readonly default: Default
  /** The most characters. */
  readonly length?: number | undefined
  /** The digits behind the point of a decimal. */
  readonly scale?: number | undefined
  /** The values of an enum. */
  readonly values?: readonly string[] | undefined
  /** The table or model that a foreign key refers to. */
  readonly references?: string | undefined
}

export interface Table {
  /** The name of the table or model. */
  readonly name: string
  /** The columns of the primary key. */
  readonly keys: readonly string[]
  readonly columns: readonly Column[]
  /** The unique constraints of one column, by their names. */
  readonly uniques: ReadonlyMap<string, string>
}

/** Reads the default of a column from its text in SQL: `'user'::text`, `0`, `false`, `now()`. */
export function defaultOf(text: string | null | undefined, kind: Kind): Default {
  if (text === null || text === undefined || /^null\b/i.test(text)) return undefined
  const [, quoted] = /^'((?:[^']|'')*)'(?:::[\w "().[\]]+)?$/.exec(text) ?? []
  const plain = quoted?.replaceAll("''", "'") ?? text
  if (kind === 'bool' && /^(?:true|false|[01]|b'[01]')$/i.test(plain))
    return { value: /^(?:true|1|b'1')$/i.test(plain) }
  if (kind === 'int' || kind === 'number')
    return /^-?\d+(?:\.\d+)?$/.test(plain)
      ? { value: Number(plain) }
      : 'expression'
  if ((kind === 'string' || kind === 'decimal') && quoted !== undefined) return { value: plain }
  if (kind === 'decimal' && /^-?\d+(?:\.\d+)?$/.test(plain)) return { value: plain }
  return 'expression'
}

/** Returns the kind of a type of SQL: `character varying`, `int4`, `tinyint(1)`. */
export function kindOf(type: string): Kind {
  const lower = type.toLowerCase()
  if (/\[\]$|^_/.test(lower)) return 'other'
  return KINDS.find(([pattern]) => pattern.test(lower))?.[1] ?? 'other'
}

const KINDS: readonly (readonly [RegExp, Kind])[] = [
  [/^tinyint\(1\)|^bool/, 'bool'],
  [/^(?:bigint|int8|bigserial)/, 'bigint'],
  [/^(?:smallint|mediumint|tinyint|int2|int4|integer|int\b|serial)/, 'int'],
  [/^(?:real|double|float)/, 'number'],
  [/^(?:numeric|decimal)/, 'decimal'],
  [/^uuid/, 'uuid'],
  [/^(?:timestamp|datetime)/, 'date'],
  [/^date\b/, 'calendarDate'],
  [/^json/, 'json'],
  [/char|text|enum|citext|clob/, 'string'],
]

/** Returns the strings of a CHECK that lists the values of a column: `status in ('open', 'done')`. */
export function valuesOfCheck(definition: string): readonly string[] | undefined {
  const [, list] =
    /\bin\s*\(([^()]*)\)|=\s*any\s*\(+array\[([^\]]*)\]/i.exec(definition)?.filter((one) => one !== undefined) ?? []
  if (list === undefined) return undefined
  const values = [...list.matchAll(/'((?:[^']|'')*)'/g)].map(([, value = '']) => value.replaceAll("''", "'"))
  return values.length > 0 ? values : undefined
}
