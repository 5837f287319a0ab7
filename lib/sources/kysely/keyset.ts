import type { Key, Order } from '../keyset/key.js'
import type { KeyedRow } from '../keyset/slice-after.js'
import { takeTexts, textColumn, textsOf } from '../keyset/texts.js'
import type { Builder, Expression, ExpressionBuilder } from './builder.js'

export function orderedBy(query: Builder, { keys }: Order): Builder {
  return keys.reduce((ordered, { column, descending }) => ordered.orderBy(column, descending ? 'desc' : 'asc'), query)
}

/** The rows behind the one with these values, each with the texts of its keys. */
export async function readBehind<Found>(query: Builder, { keys }: Order, values: readonly unknown[] | null, limit: number): Promise<KeyedRow<Found>[]> {
  const behind = values === null ? query : query.where(isBehind(keys, textsOf(values)))
  const rows = await withTexts(behind, keys).limit(limit).execute()
  const properties = keys.map(({ column }) => column.slice(column.lastIndexOf('.') + 1))
  // Out of the list itself: a driver's answer outlives its page, and would keep most of a million rows in memory that come page by page.
  return rows.splice(0).map((row) => takeTexts<Found>(row, properties.map((property) => row[property])))
}

function isBehind(keys: readonly Key[], values: readonly unknown[]): (eb: ExpressionBuilder) => Expression {
  return (eb) => keys.reduceRight((rest, { column, descending }, index) => {
    const beyond = eb(column, descending ? '<' : '>', values[index])
    // The bound is implied by what it stands beside; with it a database begins in the right place of an index.
    const bound = eb(column, descending ? '<=' : '>=', values[index])
    return eb.and([bound, eb.or([beyond, rest])])
  }, eb.or([]))
}

function withTexts(query: Builder, keys: readonly Key[]): Builder {
  return query.select((eb) => keys.map(({ column }, index) => eb.fn('concat', [column]).as(textColumn(index))))
}
