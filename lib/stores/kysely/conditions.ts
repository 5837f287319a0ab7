import { MisuseError } from '../../errors.js'
import { isEither, isRaw, type AnyCondition, type AnyWhere, type FieldCondition } from '../check-where.js'
import type { Dialect } from '../sql/kinds.js'
import { rawOf, type Expression, type ExpressionBuilder } from './expressions.js'

/** Converts a value of a field into one that the driver takes. */
export type WriteValue = (field: string, value: unknown) => unknown

/** Converts conditions into an expression: fields are quoted as names, values are bound, and neither is ever text of the statement. */
export function toExpression(eb: ExpressionBuilder, where: AnyWhere, dialect: Dialect, write: WriteValue): Expression {
  const one = (condition: AnyCondition): Expression => {
    if (isRaw(condition)) return rawExpression(eb, condition.raw)
    if (isEither(condition)) return eb.or(condition.any.map((part) => toExpression(eb, part, dialect, write)))
    return fieldExpression(eb, condition, dialect, write)
  }
  return eb.and(where.map(one))
}

function fieldExpression(eb: ExpressionBuilder, [field, operator, value]: FieldCondition, dialect: Dialect, write: WriteValue): Expression {
  if (value === null) return eb(field, operator === '=' ? 'is' : 'is not', null)
  if (operator === 'contains') return like(eb, field, `%${escaped(value as string)}%`, dialect)
  if (operator === 'startsWith') return like(eb, field, `${escaped(value as string)}%`, dialect)
  const values = (Array.isArray(value) ? value as unknown[] : [value]).map((each) => write(field, each))
  if (operator === '=' || operator === 'in') return among(eb, field, values, dialect)
  if (operator === '!=' || operator === 'not in') return notAmong(eb, field, values, dialect)
  return eb(field, operator, bound(eb, values[0], dialect))
}

/** Takes an expression of kysely's or a function of its expression builder. */
function rawExpression(eb: ExpressionBuilder, raw: unknown): Expression {
  const expression: unknown = typeof raw === 'function' ? (raw as (eb: ExpressionBuilder) => unknown)(eb) : raw
  if (isExpression(expression)) return rawOf(['(', ')'], expression)
  throw new MisuseError('store_raw', 'A raw condition of a kyselyStore is an expression, as in raw(sql`…`), or a function of an expression builder that returns one.')
}

function isExpression(value: unknown): value is Expression {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && 'toOperationNode' in value && typeof value.toOperationNode === 'function'
}

/** `!` takes the meaning from the wildcards of `like`. */
function escaped(text: string): string {
  return text.replace(/[!%_]/g, '!$&')
}

/** `like` is the only search that an index of trigrams knows. */
function like(eb: ExpressionBuilder, field: string, pattern: string, dialect: Dialect): Expression {
  const column = eb.ref(field)
  // The collations of MySQL find an accent in its letter, and some a letter in another.
  if (dialect === 'mysql') {
    return rawOf(['convert(lower(', ') using utf8mb4) collate utf8mb4_bin like convert(lower(', ") using utf8mb4) collate utf8mb4_bin escape '!'"], column, eb.val(pattern))
  }
  return rawOf(['lower(', ') like lower(', ") escape '!'"], column, eb.val(pattern))
}

function among(eb: ExpressionBuilder, field: string, values: readonly unknown[], dialect: Dialect): Expression {
  if (values.length === 0) return eb.or([])
  const found = eb(field, 'in', values.map((value) => bound(eb, value, dialect)))
  // The first condition finds an index, and lets through what the collation takes for equal: `A` for `a`, `a ` for `a`.
  return isCollated(values, dialect) ? eb.and([found, eb.or(values.map((value) => exactly(eb, field, value, '=')))]) : found
}

/** Also holds of a null, as `!=` of JavaScript does. */
function notAmong(eb: ExpressionBuilder, field: string, values: readonly unknown[], dialect: Dialect): Expression {
  if (values.length === 0) return eb.and([])
  const others = isCollated(values, dialect)
    ? eb.and(values.map((value) => exactly(eb, field, value, '<>')))
    : eb(field, 'not in', values.map((value) => bound(eb, value, dialect)))
  return eb.or([eb(field, 'is', null), others])
}

function isCollated(values: readonly unknown[], dialect: Dialect): boolean {
  return dialect === 'mysql' && values.every((value) => typeof value === 'string')
}

/** Compares by bytes. */
function exactly(eb: ExpressionBuilder, field: string, value: unknown, operator: '=' | '<>'): Expression {
  return rawOf(['cast(convert(', ` using utf8mb4) as binary) ${operator} cast(convert(`, ' using utf8mb4) as binary)'], eb.ref(field), eb.val(value))
}

/** PostgreSQL would take the type of a number from the column, and refuse one that the column cannot hold instead of not finding it. */
function bound(eb: ExpressionBuilder, value: unknown, dialect: Dialect): Expression {
  const isNumber = typeof value === 'bigint' || typeof value === 'number'
  return dialect === 'postgres' && isNumber ? eb.cast(eb.val(String(value)), isBigint(value) ? 'bigint' : 'numeric') : eb.val(value)
}

function isBigint(value: number | bigint): boolean {
  if (typeof value === 'number' && !Number.isInteger(value)) return false
  return BigInt.asIntN(64, BigInt(value)) === BigInt(value)
}
