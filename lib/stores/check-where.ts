import { MisuseError } from '../errors.js'
import { checkText } from './check-text.js'

/** A condition whose row is no longer of interest. */
export type AnyCondition = readonly [field: string, operator: string, value: unknown] | { readonly any: readonly AnyWhere[] }
export type AnyWhere = readonly AnyCondition[]

export function isEither(condition: AnyCondition): condition is { readonly any: readonly AnyWhere[] } {
  return 'any' in condition
}

const OPERATORS = new Set(['=', 'in', '<', '<=', '>', '>=', 'contains'])

/**
 * Checks conditions before anything is asked of a database: an unknown operator or a forgotten value must not mean "every row".
 *
 * @throws MisuseError `store_condition` for what no type lets pass.
 * @throws ValidationError for a text that no store takes.
 */
export function checkWhere(where: AnyWhere): void {
  for (const condition of where) {
    if (isEither(condition)) condition.any.forEach(checkWhere)
    else checkCondition(condition)
  }
}

function checkCondition([field, operator, value]: readonly [string, string, unknown]): void {
  const values: unknown = operator === 'in' ? value : [value]
  const readable = OPERATORS.has(operator) && Array.isArray(values) && values.every((one) => isValue(one) && (one !== null || operator === '='))
  if (!readable) throw new MisuseError('store_condition', `The condition on \`${field}\` with \`${operator}\` has no value that it could hold of.`)
  for (const one of values as unknown[]) checkText(field, one)
}

/** One plain value: an object here could say something to a driver. */
function isValue(value: unknown): boolean {
  return value === null || value instanceof Date || ['string', 'number', 'bigint', 'boolean'].includes(typeof value)
}
