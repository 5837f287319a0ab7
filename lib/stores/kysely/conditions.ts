import { isEither, type AnyCondition, type AnyWhere } from '../check-where.js'
import type { Dialect } from './dialect.js'
import { rawOf, type Expression, type ExpressionBuilder } from './expressions.js'

/** How values of a field are handed to the driver. */
export type WriteValue = (field: string, value: unknown) => unknown

/** Conditions as an expression: fields are quoted as names, values are bound, and neither is ever text of the statement. */
export function toExpression(eb: ExpressionBuilder, where: AnyWhere, dialect: Dialect, write: WriteValue): Expression {
  const one = (condition: AnyCondition): Expression => {
    if (isEither(condition)) return eb.or(condition.any.map((part) => toExpression(eb, part, dialect, write)))
    const [field, operator, value] = condition
    if (operator === 'contains') return contains(eb, field, String(value), dialect)
    if (operator === 'in') return among(eb, field, (value as unknown[]).map((each) => write(field, each)), dialect)
    if (value === null) return eb(field, 'is', null)
    if (operator === '=') return among(eb, field, [write(field, value)], dialect)
    return eb(field, operator, bound(eb, write(field, value), dialect))
  }
  return eb.and(where.map(one))
}

/** `like` is the only search that an index of trigrams knows; `!` takes the meaning from its wildcards. */
function contains(eb: ExpressionBuilder, field: string, text: string, dialect: Dialect): Expression {
  const pattern = eb.val(`%${text.replace(/[!%_]/g, '!$&')}%`)
  const column = eb.ref(field)
  // The collations of MySQL find an accent in its letter, and some a letter in another.
  if (dialect === 'mysql') {
    return rawOf(['convert(lower(', ') using utf8mb4) collate utf8mb4_bin like convert(lower(', ") using utf8mb4) collate utf8mb4_bin escape '!'"], column, pattern)
  }
  return rawOf(['lower(', ') like lower(', ") escape '!'"], column, pattern)
}

function among(eb: ExpressionBuilder, field: string, values: readonly unknown[], dialect: Dialect): Expression {
  if (values.length === 0) return eb.or([])
  const found = eb(field, 'in', values.map((value) => bound(eb, value, dialect)))
  if (dialect !== 'mysql' || !values.every((value) => typeof value === 'string')) return found
  // The first condition finds an index, and lets through what the collation takes for equal: `A` for `a`, `a ` for `a`.
  const exact = values.map((value) => rawOf(['cast(convert(', ' using utf8mb4) as binary) = cast(convert(', ' using utf8mb4) as binary)'], eb.ref(field), eb.val(value)))
  return eb.and([found, eb.or(exact)])
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
