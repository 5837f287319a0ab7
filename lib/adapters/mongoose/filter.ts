import { MisuseError } from '../../core/index.js'
import { isEither, isRaw, type AnyCondition, type AnyWhere, type FieldCondition } from '../../crud/contract/index.js'
import { toComparable, type ComparedColumns } from '../sql/comparable.js'
import type { Column, Model, Values } from './library.js'
import { dayOf, type Columns } from './values.js'

/** Describes the columns of a model for conditions. */
export function comparedColumns(model: string, columns: Columns): ComparedColumns & { find(field: string): Column } {
  const find = (field: string): Column => {
    const column = columns.get(field)
    if (column !== undefined) return column
    throw new MisuseError('store_column', `The model \`${model}\` has no column \`${field}\`.`)
  }
  return { find, checkExists: find, column: find }
}

/** A filter that no document passes. */
const NEVER: Values = { _id: { $in: [] } }

/**
 * Converts conditions into a filter. Each value follows an operator of the store's, so that none of them can be
 * an operator.
 */
export function filterOf(where: AnyWhere, model: Model, columns: Columns): Values {
  const compared = comparedColumns(model.modelName, columns)
  const one = (condition: AnyCondition): Values => {
    if (isRaw(condition)) return checkRaw(condition.raw, model)
    if (!isEither(condition)) return onColumn(condition, compared.find(condition[0]))
    return condition.any.length === 0 ? NEVER : { $or: condition.any.map(all) }
  }
  const all = (conditions: AnyWhere): Values => (conditions.length === 0 ? {} : { $and: conditions.map(one) })
  return all(toComparable(where, compared, 'postgres'))
}

// dprint-ignore
const OPERATORS: Readonly<Record<string, string>> = {
  '=': '$eq', '!=': '$ne', 'in': '$in', 'not in': '$nin', '<': '$lt', '<=': '$lte', '>': '$gt', '>=': '$gte',
}

function onColumn([, operator, value]: FieldCondition, column: Column): Values {
  const { path } = column
  if (operator === 'contains') return { [path]: { $regex: escape(value), $options: 'i' } }
  if (operator === 'startsWith') return { [path]: { $regex: `^${escape(value)}`, $options: 'i' } }
  const name = OPERATORS[operator] ?? '$in'
  if (value === null) return { [path]: { [name]: null } }
  const values = [value].flat().map((each) => convertTo(each, column))
  const held = values.filter((each) => each !== undefined)
  // A value that the path can never hold selects nothing, and is left out of an `in`.
  if (held.length < values.length && operator !== 'in') return NEVER
  return { [path]: { [name]: Array.isArray(value) ? held : held[0] } }
}

/** Takes their meaning from the characters of a regular expression. */
function escape(text: string): string {
  return text.replace(/[$()*+.?[\\\]^{|}]/g, '\\$&')
}

/** Converts a value into one of the path's type; `undefined` for one that the path can never hold. */
export function convertTo(value: unknown, { kind, type }: Column): unknown {
  if (kind === 'calendarDate') return dayOf(value as string, type?.instance)
  try {
    return type?.cast(kind === 'digits' ? String(value) : value)
  } catch {
    return undefined
  }
}

/**
 * Checks a raw condition, and converts its values by the schema.
 *
 * @throws MisuseError `store_raw` for an invalid filter, and for one that matches every document.
 */
function checkRaw(raw: unknown, model: Model): Values {
  const isPlain = typeof raw === 'object' && raw !== null && Object.getPrototypeOf(raw) === Object.prototype
  if (!isPlain || Reflect.ownKeys(raw).length === 0 || hasUndefined(raw)) {
    const example = 'raw({ tags: { $all: [1, 2] } })'
    throw new MisuseError('store_raw', `A raw condition of a mongooseStore is a filter, as in ${example}.`)
  }
  // A path that the schema does not have must not be left out of the filter.
  return model.find().setOptions({ strictQuery: 'throw', sanitizeFilter: false }).cast(model, { ...raw })
}

/** True for a filter with `undefined` in it, which the driver may leave out. */
function hasUndefined(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === undefined
  return Object.values(value).some(hasUndefined)
}
