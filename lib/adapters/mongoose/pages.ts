import { invalidCursor, type PageSource, type Position } from '../../core/index.js'
import { countingSource } from '../sql/keyset/slice-after.js'
import { checkWhere, type AnyWhere } from '../../crud/contract/index.js'
import { toComparable, type ComparedColumns } from '../sql/comparable.js'
import { comparedColumns, convertTo, filterOf } from './filter.js'
import type { Column, Values } from './library.js'
import { rowOf, type Known } from './values.js'

export type Read = (stages: readonly Values[]) => Promise<readonly Values[]>

interface Key extends Column {
  readonly field: string
  readonly isDescending: boolean
}

/** Makes a source of the documents that match, in an order. Nothing is read before a page is asked for. */
export function pagesOf(
  { model, columns }: Known,
  where: AnyWhere,
  order: readonly string[],
  read: Read,
): PageSource<Values> {
  const compared = comparedColumns(model.modelName, columns)
  const filter = (): Values => filterOf(where, model, columns)
  const keys = order.map((spelling): Key => {
    const isDescending = spelling.startsWith('-')
    const field = isDescending ? spelling.slice(1) : spelling
    return { ...compared.find(field), field, isDescending }
  })
  const stages = (more: readonly Values[],
    after: Values = {}): readonly Values[] => [{ $match: { $and: [filter(), after] } }, ...sortStages(keys), ...more]
  const slice = async (offset: number, limit: number): Promise<readonly Values[]> => {
    const rows = await read(stages([{ $skip: offset }, { $limit: limit }]))
    return rows.map((document) => rowOf(document, columns))
  }
  const count = async (): Promise<number> => {
    const [counted] = await read([{ $match: filter() }, { $count: 'total' }])
    return Number(counted?.total ?? 0)
  }
  return {
    ...countingSource(slice, count),
    sliceAfter: async (position, limit) => {
      const after = position === null ? {} : isAfter(keys, valuesOf(position, order, keys, compared))
      const rows = await read(stages([{ $limit: limit + 1 }], after))
      const items = rows.slice(0, limit).map((document) => rowOf(document, columns))
      const last = rows.length > limit ? rows[limit - 1] : undefined
      if (last === undefined) return { items, next: null }
      // A path that is hidden in rows may be part of the order.
      const row = rowOf(last, new Map([...columns].map(([name, column]) => [name, { ...column, isHidden: false }])))
      return { items, next: [order.join(), ...keys.map(({ field }) => row[field])] }
    },
  }
}

/** MongoDB sorts nulls below all values; an ascending order gets a field of its own to sort them last. */
function sortStages(keys: readonly Key[]): readonly Values[] {
  const flags: Record<string, unknown> = {}
  const sort: Record<string, 1 | -1> = {}
  keys.forEach(({ path, isDescending, isNullable }, index) => {
    if (isNullable && !isDescending) {
      flags[`resourcery${index}`] = { $eq: [{ $ifNull: [`$${path}`, null] }, null] }
      sort[`resourcery${index}`] = 1
    }
    sort[path] = isDescending ? -1 : 1
  })
  return Object.keys(flags).length === 0 ? [{ $sort: sort }] : [{ $addFields: flags }, { $sort: sort }]
}

/** Writes the condition that a document comes after these values in the order. */
function isAfter(keys: readonly Key[], values: readonly unknown[]): Values {
  const alternatives = keys.flatMap((key, index): Values[] => {
    const equal = keys.slice(0, index).map(({ path }, before) => ({ [path]: { $eq: values[before] } }))
    const value = values[index]
    // Nothing comes after null.
    if (value === null) return []
    const after = { [key.path]: { [key.isDescending ? '$lt' : '$gt']: value } }
    return [{ $and: [...equal, key.isNullable ? { $or: [after, { [key.path]: { $eq: null } }] } : after] }]
  })
  return { $or: alternatives }
}

/** @throws ValidationError naming `cursor` for one of another order, and for a value that is none of its column's. */
function valuesOf(
  [spelling, ...values]: Position,
  order: readonly string[],
  keys: readonly Key[],
  compared: ComparedColumns,
): readonly unknown[] {
  if (spelling !== order.join() || values.length !== keys.length) throw invalidCursor()
  return keys.map((key, index) => {
    const value = values[index]
    if (value === null && key.isNullable) return null
    const isFit = value !== null && isOfType([[key.field, '=', value]], compared)
    const stored = isFit ? convertTo(value, key) : undefined
    if (stored === undefined) throw invalidCursor()
    return stored
  })
}

function isOfType(where: AnyWhere, compared: ComparedColumns): boolean {
  try {
    checkWhere(where)
    const [condition = {}] = toComparable(where, compared, 'postgres')
    return !('any' in condition)
  } catch {
    return false
  }
}
