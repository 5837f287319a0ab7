import { isList } from '../../core/index.js'
import { isEither, isRaw, type AnyCondition, type AnyWhere, type FieldCondition } from '../../crud/contract/index.js'
import { isHuge } from './columns.js'
import type { ComparedColumn } from './comparable.js'
import type { Dialect } from './kinds.js'
import { allOf, anyOf, joinPieces, sql, type Part, type Sql } from './statement.js'

/** The part of a table that conditions use. */
interface Target {
  readonly dialect: Dialect
  /** Converts a value that a column is compared with into one that the driver takes. */
  readonly toDriver: (column: string, value: unknown) => unknown
  readonly columnOf: (column: string) => ComparedColumn
  /** True for a value that is compared as a decimal of any precision. */
  readonly isDecimal: (column: string, value: unknown) => boolean
}

/** Converts conditions that are checked (see `toComparable`) into SQL. */
export function toSql(where: AnyWhere, target: Target): Sql {
  const sqlOf = (condition: AnyCondition): Sql => {
    if (isRaw(condition)) return sql`(${{ raw: condition.raw }})`
    if (isEither(condition)) return anyOf(condition.any.map((part) => toSql(part, target)))
    return onColumn(condition, target)
  }
  return allOf(where.map(sqlOf))
}

function onColumn([column, operator, value]: FieldCondition, target: Target): Sql {
  const { dialect, toDriver } = target
  if (value === null) return operator === '=' ? sql`${{ column }} is null` : sql`${{ column }} is not null`
  if (operator === 'contains') return like(column, `%${escape(value)}%`, target)
  if (operator === 'startsWith') return like(column, `${escape(value)}%`, target)
  const operands = isList(value) ? value : [value]
  const values = operands.map((each) => toDriver(column, roundToColumn(each, target.columnOf(column))))
  // All values of a column have one type.
  const isDecimal = target.isDecimal(column, operands[0])
  if (operator === '=' || operator === 'in') return among(column, values, target, isDecimal)
  if (operator === '!=' || operator === 'not in') return notAmong(column, values, target, isDecimal)
  return [{ column }, ` ${operator} `, ...bindValue(values[0], dialect, isDecimal)]
}

/** `!` takes the meaning from the wildcards of `like`. */
function escape(text: string): string {
  return text.replace(/[!%_]/g, '!$&')
}

/** `like` is the only search that an index of trigrams knows. */
function like(column: string, pattern: string, { dialect, columnOf }: Target): Sql {
  const { kind, isNondeterministic = false } = columnOf(column)
  const type = dialect === 'mysql' ? 'char' : 'text'
  const searched: Part | Sql = kind === 'string' ? { column } : [...sql`cast(${{ column }} as `, `${type})`]
  if (dialect !== 'mysql') {
    const collation = isNondeterministic ? [' collate "C"'] : []
    return sql`lower(${searched})${collation} like lower(${{ value: pattern }}) escape '!'`
  }
  // The collations of MySQL find an accent in its letter, and some a letter in another.
  const [left, right] = [foldCase(searched), foldCase({ value: pattern })]
  return sql`${left} like ${right} escape '!'`
}

function foldCase(part: Part | Sql): Sql {
  return sql`convert(lower(${part}) using utf8mb4) collate utf8mb4_bin`
}

function among(column: string, values: readonly unknown[], target: Target, isDecimal: boolean): Sql {
  if (values.length === 0) return anyOf([])
  const isListed = sql`${{ column }} in (${listOf(values, target.dialect, isDecimal)})`
  if (target.columnOf(column).isCollated !== true) return isListed
  // The first condition finds an index, and matches values that are equal by the collation: `A` for `a`, `a ` for `a`.
  return allOf([isListed, exactly(column, values, target.dialect)])
}

/** Also holds of a null, as `!=` of JavaScript does. */
function notAmong(column: string, values: readonly unknown[], target: Target, isDecimal: boolean): Sql {
  if (values.length === 0) return allOf([])
  const others = target.columnOf(column).isCollated === true
    ? exactly(column, values, target.dialect, true)
    : sql`${{ column }} not in (${listOf(values, target.dialect, isDecimal)})`
  return anyOf([sql`${{ column }} is null`, others])
}

function listOf(values: readonly unknown[], dialect: Dialect, isDecimal: boolean): Sql {
  return joinPieces(values.map((value) => bindValue(value, dialect, isDecimal)), ', ')
}

/** Compares strings by their bytes, whatever the collation or the type of the column. */
function exactly(column: string, values: readonly unknown[], dialect: Dialect, isNegated = false): Sql {
  if (dialect === 'mysql') {
    const sign = isNegated ? ' <> ' : ' = '
    const each = values.map((value): Sql => [...bytesOf({ column }), sign, ...bytesOf({ value })])
    return isNegated ? allOf(each) : anyOf(each)
  }
  const exact = dialect === 'postgres'
    ? sql`cast(${{ column }} as text) collate "C"`
    : sql`${{ column }} collate binary`
  return [...exact, isNegated ? ' not in (' : ' in (', ...listOf(values, dialect, false), ')']
}

function bytesOf(part: Part): Sql {
  return sql`cast(convert(${part} using utf8mb4) as binary)`
}

/** Rounds a number as a column of single precision does: a row shows it with fewer digits than it has. */
function roundToColumn(value: unknown, { isFloat = false }: ComparedColumn): unknown {
  if (!isFloat || typeof value !== 'number') return value
  const rounded = Math.fround(value)
  return Number.isFinite(rounded) ? rounded : value
}

/**
 * PostgreSQL would take the type of a number from the column, and refuse one that the column cannot hold instead of not
 * finding it.
 */
function bindValue(value: unknown, dialect: Dialect, isDecimal: boolean): Sql {
  if (isDecimal && typeof value === 'string') return decimal(value, dialect)
  if (dialect !== 'postgres' && isHuge(value)) return hugeInteger(value, dialect)
  const isNumber = typeof value === 'bigint' || typeof value === 'number'
  if (dialect !== 'postgres' || !isNumber) return [{ value }]
  return [...sql`cast(${{ value: String(value) }} as `, isBigint(value) ? 'bigint)' : 'numeric)']
}

/** Drivers refuse integers of more than 64 bits: in SQLite, an infinite number is beyond all of them too. */
function hugeInteger(value: bigint, dialect: Dialect): Sql {
  if (dialect === 'mysql') return sql`cast(${{ value: String(value) }} as decimal(65, 0))`
  return [value > 0n ? '9e999' : '-9e999']
}

/** MySQL would compare a decimal with a string as numbers of double precision. */
function decimal(value: string, dialect: Dialect): Sql {
  const scale = value.split('.')[1]?.length ?? 0
  const type = dialect === 'mysql' ? `decimal(${35 + scale}, ${scale})` : 'numeric'
  return [...sql`cast(${{ value }} as `, `${type})`]
}

function isBigint(value: number | bigint): boolean {
  return (typeof value === 'bigint' || Number.isInteger(value)) && !isHuge(BigInt(value))
}
