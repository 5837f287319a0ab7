import { isEither, type AnyCondition, type AnyWhere } from '../check-where.js'
import { compare } from './compare.js'

export type AnyRow = Readonly<Record<string, unknown>>

/** Whether all conditions hold of a row. */
export function matches(row: AnyRow, where: AnyWhere): boolean {
  return where.every((condition) => holds(row, condition))
}

function holds(row: AnyRow, condition: AnyCondition): boolean {
  if (isEither(condition)) return condition.any.some((where) => matches(row, where))
  const [field, operator, value] = condition
  const stored = row[field] ?? null
  if (operator === '=') return compare(stored, value) === 0
  return stored !== null && TESTS[operator as keyof typeof TESTS](stored, value)
}

const TESTS = {
  'in': (stored: unknown, values: unknown) => (values as unknown[]).some((value) => compare(stored, value) === 0),
  '<': (stored: unknown, value: unknown) => compare(stored, value) < 0,
  '<=': (stored: unknown, value: unknown) => compare(stored, value) <= 0,
  '>': (stored: unknown, value: unknown) => compare(stored, value) > 0,
  '>=': (stored: unknown, value: unknown) => compare(stored, value) >= 0,
  'contains': (stored: unknown, text: unknown) => folded(stored).includes(folded(text)),
}

/** Character by character, as databases do it: JavaScript would look at the neighbours of a sigma. */
function folded(text: unknown): string {
  return Array.from(String(text), (character) => character.toLowerCase()).join('')
}
