import type { Key, Order } from '../keyset/key.js'
import type { KeyedRow } from '../keyset/slice-after.js'
import { takeTexts, textColumn, textsOf } from '../keyset/texts.js'
import type { Builder, Expression, ExpressionBuilder, Node } from './builder.js'

export function orderedBy(query: Builder, { keys }: Order): Builder {
  return keys.reduce((ordered, { column, descending }) => ordered.orderBy(column, descending ? 'desc' : 'asc'), query)
}

/** Reads the rows behind the one with these values, each with the texts of its keys. */
export async function readBehind<Found>(query: Builder, { keys }: Order, values: readonly unknown[] | null, limit: number): Promise<KeyedRow<Found>[]> {
  const selected = selectedIn(query)
  const columns = keys.map(({ column }) => selected.get(column) ?? column)
  const behind = values === null ? query : query.where(isBehind(keys, columns, textsOf(values)))
  const rows = await withTexts(behind, columns).limit(limit).execute()
  const properties = keys.map(({ column }) => column.slice(column.lastIndexOf('.') + 1))
  // Out of the list itself: a driver's answer outlives its page, and would keep most of a million rows in memory that come page by page.
  return rows.splice(0).map((row) => takeTexts<Found>(row, properties.map((property) => row[property])))
}

/**
 * Finds what a query selects under each name: `order by id` means the `id` that is selected, a condition on `id` that of any joined table.
 */
function selectedIn(query: Builder): ReadonlyMap<string, Expression> {
  const named = (query.toOperationNode().selections ?? []).flatMap(({ selection }): [string, Expression][] => {
    const name = selection.kind === 'AliasNode' ? selection.alias?.name : selection.column?.column?.name
    const node: Node = selection.node ?? selection
    return name === undefined ? [] : [[name, { toOperationNode: () => node }]]
  })
  return new Map(named)
}

type Column = string | Expression

function isBehind(keys: readonly Key[], columns: readonly Column[], values: readonly unknown[]): (eb: ExpressionBuilder) => Expression {
  return (eb) => keys.reduceRight((rest, { column, descending }, index) => {
    const key = columns[index] ?? column
    const beyond = eb(key, descending ? '<' : '>', values[index])
    // The bound is implied by what it stands beside; with it a database begins in the right place of an index.
    const bound = eb(key, descending ? '<=' : '>=', values[index])
    return eb.and([bound, eb.or([beyond, rest])])
  }, eb.or([]))
}

function withTexts(query: Builder, columns: readonly Column[]): Builder {
  return query.select((eb) => columns.map((column, index) => eb.fn('concat', [column]).as(textColumn(index))))
}
