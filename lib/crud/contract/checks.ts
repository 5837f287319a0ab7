import { ignoreFailure, messageOf, MisuseError, type Message } from '../../core/index.js'
import type { RawCondition } from './store.js'
import { ColumnViolation } from './violations.js'

/** A condition on one field of a row whose type is not of interest. */
export type FieldCondition =
  | readonly [field: string, operator: '=' | '!=' | '<' | '<=' | '>' | '>=', value: unknown]
  | readonly [field: string, operator: 'in' | 'not in', values: readonly unknown[]]
  | readonly [field: string, operator: 'contains' | 'startsWith', text: string]
export type AnyCondition = FieldCondition | { readonly any: readonly AnyWhere[] } | RawCondition
export type AnyWhere = readonly AnyCondition[]

export function isEither(condition: AnyCondition): condition is { readonly any: readonly AnyWhere[] } {
  return 'any' in condition
}

export function isRaw(condition: AnyCondition): condition is RawCondition {
  return 'raw' in condition
}

/** True for a function of the application: what it takes and returns is not checked. */
export function isCallable(value: unknown): value is (...given: readonly unknown[]) => unknown {
  return typeof value === 'function'
}

/** The values that each operator accepts: `null` only with `=` and `!=`. */
const OPERATORS: Readonly<Record<string, (value: unknown) => boolean>> = {
  '=': (value) => value === null || isComparable(value),
  '!=': (value) => value === null || isComparable(value),
  'in': isComparableList,
  'not in': isComparableList,
  '<': isComparable,
  '<=': isComparable,
  '>': isComparable,
  '>=': isComparable,
  'contains': (value) => typeof value === 'string',
  'startsWith': (value) => typeof value === 'string',
}

/**
 * Checks conditions before the database is asked: an unknown operator, or a value that nothing can be compared with,
 * must not mean "every row".
 *
 * @throws MisuseError `store_condition` for a condition that the types do not allow, and for NaN, an infinite number,
 * an Invalid Date and `undefined`.
 * @throws ValidationError for a string with NUL or half a surrogate pair.
 */
export function checkWhere(where: AnyWhere): void {
  for (const condition of where) {
    if ('any' in condition) condition.any.forEach(checkWhere)
    else if (!('raw' in condition)) checkCondition(condition)
  }
}

function checkCondition([field, operator, value]: FieldCondition): void {
  const takes = Object.hasOwn(OPERATORS, operator) ? OPERATORS[operator] : undefined
  if (takes === undefined) {
    throw new MisuseError(
      'store_condition',
      `The condition on \`${field}\` has the operator \`${operator}\`; there are ${Object.keys(OPERATORS).join(', ')}.`,
    )
  }
  if (!takes(value)) {
    throw new MisuseError(
      'store_condition',
      `The condition on \`${field}\` with \`${operator}\` cannot be compared with ${describe(value)}.`,
    )
  }
  const operands: readonly unknown[] = Array.isArray(value) ? value : [value]
  for (const operand of operands) checkText(field, operand)
}

/** True for one plain value; an object could mean something to a driver, and nothing is equal to NaN. */
function isComparable(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (value instanceof Date) return !Number.isNaN(value.getTime())
  return ['string', 'bigint', 'boolean'].includes(typeof value)
}

function isComparableList(values: unknown): boolean {
  // A hole in a list is `undefined` too.
  return Array.isArray(values) && Array.from<unknown>(values).every(isComparable)
}

/** Describes a value without repeating its content, which a caller may have sent. */
export function describe(value: unknown): string {
  if (Array.isArray(value)) {
    return value.every(isComparable)
      ? 'a list'
      : `a list with ${describe(value.find((operand) => !isComparable(operand)))}`
  }
  if (value instanceof Date) return isComparable(value) ? 'a Date' : 'an Invalid Date'
  if (typeof value === 'number') return isComparable(value) ? 'a number' : String(value)
  return value === null || value === undefined
    ? String(value)
    : typeof value === 'object'
    ? 'an object'
    : `a ${typeof value}`
}

/**
 * Refuses strings that some database would cut off, replace or fail on, so that all stores answer alike.
 *
 * @throws ColumnViolation naming the field, for NUL and for half a surrogate pair.
 */
function checkText(field: string, value: unknown): void {
  if (typeof value !== 'string') return
  if (value.includes('\0')) throw misfit(field, messageOf('field.nul'))
  if (/\p{Surrogate}/u.test(value)) throw misfit(field, messageOf('field.unicode'))
}

/**
 * Checks what is written to a row; `undefined` is not written.
 *
 * @throws ColumnViolation also for NaN, an infinite number and an Invalid Date, which databases refuse, keep or take
 * for text; Error for a promise, such as a hash that was not awaited, which drivers store as the text `{}`.
 */
export function checkValues(fields: object): void {
  for (const [field, value] of Object.entries(fields)) {
    checkText(field, value)
    if (value instanceof Promise) {
      ignoreFailure(value)
      throw new Error(`The value of \`${field}\` is a promise: await it before you write it.`)
    }
    if (typeof value === 'number' && !Number.isFinite(value)) throw misfit(field, messageOf('field.finite'))
    if (value instanceof Date && Number.isNaN(value.getTime())) throw misfit(field, messageOf('field.type.date'))
  }
}

/** Returns the fields that have a value, `null` included. */
export function withoutUndefined<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields
}

export function misfit(field: string, message: Message): ColumnViolation {
  return new ColumnViolation({ [field]: [message] }, { columns: [field] })
}

/** Matches a uuid of any version, in letters of any case. */
export const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
