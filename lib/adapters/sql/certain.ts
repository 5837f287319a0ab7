import { isEither, isRaw, type Accepted, type AcceptedColumns, type AnyCondition,
  type Limit } from '../../crud/contract/index.js'
import { remember, testOf, type SeenTypes } from '../memory/matches.js'
import type { Catalog } from './catalog.js'
import type { ComparedColumn } from './comparable.js'
import type { Kind } from './kinds.js'
import { allOf, joinPieces, sql, type Sql } from './statement.js'
import type { SqlTable } from './table.js'

/*
 * Proofs that a row will be accepted once PostgreSQL has stored it: by the types of its columns, by the values to write
 * and the defaults of the table, or by conditions that an update tests of the columns that it does not write.
 */

/** The values that a column may get by a write, or some that stand for all of them; `undefined` if they are unknown. */
export type ValuesOf = (column: string) => readonly unknown[] | undefined

/** A column whose type alone does not prove that its values are accepted. */
interface Guard {
  /** True if a value is accepted, and stored as it is. */
  readonly accepts: (value: unknown) => boolean
  /** The conditions under which the stored values are accepted. */
  readonly conditions: readonly Sql[]
}

export type Guards = ReadonlyMap<string, Guard>

/** Returns the guards of columns, `undefined` where the values of one of them are never certain. */
export function guardColumns(catalog: Catalog, accepted: AcceptedColumns, readable: ReadableTypes): Guards | undefined {
  const guards = new Map<string, Guard>()
  for (const [column, values] of Object.entries({ ...accepted, ...readableColumns(catalog, accepted) })) {
    const conditions = guardColumn(catalog, column, values, readable)
    if (conditions === undefined) return undefined
    const accepts = (value: unknown): boolean =>
      value === null ? values.isNullable : isStoredAsIs(catalog, column, value) && values.accepts(value)
    if (conditions.length > 0) guards.set(column, { accepts, conditions })
  }
  return guards
}

const ANY: Accepted = { type: 'any', isNullable: true, limits: [], accepts: () => true }

/** Returns the values of columns that the store reads at all: it refuses to read others. */
function readableColumns(catalog: Catalog, accepted: AcceptedColumns): AcceptedColumns {
  const readable: Record<string, Accepted> = {}
  for (const [column, type] of Object.entries(catalog.types)) {
    const own = accepted[column] ?? ANY
    if (type === 'integer') readable[column] = { ...own, type: 'number', limits: [...own.limits, { is: 'integer' }] }
    if (type === 'calendarDate' && own.type === 'any') readable[column] = { ...own, type }
  }
  return readable
}

/** True if a column of PostgreSQL returns exactly this value: others are rounded, padded or in lower case. */
function isStoredAsIs(catalog: Catalog, column: string, value: unknown): boolean {
  const { isExact = false, kind } = catalog.find(column) ?? {}
  if (value instanceof Date) return kind === 'date' && value.getUTCFullYear() > 0 && value.getUTCFullYear() < 10_000
  if (typeof value !== 'string') return isExact
  // A `varchar(10)` loses spaces after its tenth character.
  return isExact && !value.endsWith(' ') && (kind !== 'uuid' || value === value.toLowerCase())
}

/** Returns true if the values of a write certainly meet a condition. */
export function isMet(condition: AnyCondition, catalog: Catalog, valuesOf: ValuesOf): boolean {
  if (isRaw(condition)) return false
  if (isEither(condition)) return condition.any.some((all) => all.every((inner) => isMet(inner, catalog, valuesOf)))
  const [column, operator] = condition
  return valuesOf(column)?.every((value) => {
    // Strings that are not equal here may be so by a collation, and instants are rounded.
    if (value instanceof Date || (typeof value === 'string' && operator !== '=' && operator !== 'in')) return false
    if (value !== null && !isStoredAsIs(catalog, column, value)) return false
    const seen: SeenTypes = new Map()
    const row = { [column]: value }
    remember(seen, row)
    return testOf([condition], { seen, decimals: new Set() })(row)
  }) ?? false
}

/** Returns the columns that a condition names; one of the library's own may not be among them. */
export function columnsOf(condition: AnyCondition): readonly string[] {
  if (isEither(condition)) return condition.any.flat().flatMap(columnsOf)
  return isRaw(condition) ? [] : [condition[0]]
}

/** The kinds of columns whose values a driver reads as each type. */
const KINDS: Readonly<Record<Exclude<Accepted['type'], 'any'>, readonly Kind[]>> = {
  string: ['string', 'uuid', 'enum', 'calendarDate'],
  number: ['number', 'integer'],
  boolean: ['boolean'],
  date: ['date'],
  calendarDate: ['calendarDate'],
}

/** Returns the conditions that a column has accepted values, `undefined` where that cannot be told. */
function guardColumn(catalog: Catalog, name: string, accepted: Accepted, readable: ReadableTypes):
  | readonly Sql[]
  | undefined
{
  const { type, isNullable } = accepted
  const described = catalog.find(name)
  if (described === undefined || type === 'any') return described && []
  if (!KINDS[type].includes(described.kind) || !readable[type]) return undefined
  const column = { column: name }
  return withNull(column, conditionsOf(column, type, accepted.limits, described), catalog.isNullable(name), isNullable)
}

/** Adds to conditions that a column is null, or is not. */
function withNull(column: Column, conditions: readonly Sql[], mayBeNull: boolean, isAccepted: boolean): readonly Sql[] {
  if (conditions.length === 0) return mayBeNull && !isAccepted ? [sql`${column} is not null`] : []
  return [mayBeNull && isAccepted ? sql`(${column} is null or ${allOf(conditions)})` : allOf(conditions)]
}

function conditionsOf(
  column: Column,
  type: keyof typeof KINDS,
  limits: readonly Limit[],
  { isSmall = false }: ComparedColumn,
): readonly Sql[] {
  const limiting = isSmall ? limits.filter(({ is }) => is !== 'integer') : limits
  const range = isSmall ? undefined : RANGES[type]
  return [...range === undefined ? [] : [[column, range]], ...limiting.map((limit) => limitToSql(column, limit))]
}

interface Column {
  readonly column: string
}

/** The values of a column that a driver reads as ones of JavaScript's: PostgreSQL also has NaN and infinite times. */
const RANGES: Readonly<Partial<Record<keyof typeof KINDS, string>>> = {
  number: ' between -1e300 and 1e300',
  date: " between '0001-01-01' and '9999-12-31'",
  calendarDate: " between '0001-01-01' and '9999-12-31'",
}

/** Converts a limit to SQL. `concat` makes the text that the driver reads: a cast would trim a `char(10)`. */
function limitToSql(column: Column, limit: Limit): Sql {
  const text = sql`concat(${column})`
  switch (limit.is) {
    case 'integer':
      return sql`floor(${column}) = ${column} and ${column} between -9007199254740991 and 9007199254740991`
    case 'minLength':
      return sql`char_length(${text}) >= ${whole(limit.value)}`
    case 'maxLength':
      // JavaScript counts UTF-16: at most as much as the bytes of UTF-8, and as twice the characters.
      return sql`(octet_length(${text}) <= ${whole(limit.value)} or char_length(${text}) * 2 <= ${whole(limit.value)})`
    case 'oneOf':
      return sql`${text} collate "C" in (${joinPieces(limit.values.map((value) => sql`${{ value }}`), ', ')})`
    case 'email':
    case 'uuid':
      return sql`${text} collate "C" ~ ${{ value: PATTERNS[limit.is] }}`
    default:
      return [{ column: column.column }, ` ${limit.is} `, ...sql`cast(${{ value: String(limit.value) }} as numeric)`]
  }
}

function whole(value: number): Sql {
  return sql`cast(${{ value }} as integer)`
}

/** Each matches a part of what zod's pattern matches. */
const PATTERNS = {
  email: '^[A-Za-z0-9_+-]+([.][A-Za-z0-9_+-]+)*@([A-Za-z0-9][A-Za-z0-9-]*[.])+[A-Za-z]{2,}$',
  uuid: '^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
} as const

/** The types whose values the driver reads as values of JavaScript's; an application may have set other parsers. */
export type ReadableTypes = Readonly<Record<Accepted['type'], boolean>>

/** Finds the types that the driver reads as values of JavaScript, by one query with a value of each. */
export async function readableTypesOf<Db>({ query }: SqlTable<Db>): Promise<ReadableTypes> {
  const [row = {}] = await query(sql`select 1::int2 as n1, 1::int4 as n2, 1::float4 as n3, 1::float8 as n4,
    'a'::text as s1, 'a'::varchar as s2, 'a'::bpchar as s3,
    '00000000-0000-4000-8000-000000000000'::uuid as s4, true as b1,
    current_timestamp as d1, localtimestamp as d2`)
  const all = (initial: string, fits: (value: unknown) => boolean): boolean =>
    Object.entries(row).every(([name, value]) => !name.startsWith(initial) || fits(value))
  return {
    any: true,
    string: all('s', (value) => typeof value === 'string'),
    number: all('n', (value) => value === 1),
    boolean: all('b', (value) => value === true),
    date: all('d', (value) => value instanceof Date),
    calendarDate: true, // by the codec
  }
}
