import type { Key, Order } from '../keyset/key.js'
import type { KeyedRow } from '../keyset/slice-after.js'
import { takeTexts, textColumn, textsOf } from '../keyset/texts.js'
import type { Builder } from './builder.js'

/** The rows behind the one with these values, each with the texts of its keys. */
export async function readBehind<Found>(query: Builder, order: Order, values: readonly unknown[] | null, limit: number): Promise<KeyedRow<Found>[]> {
  const selected = selectedIn(query)
  const keys = order.keys.map(({ column, descending }) => ({ column: selected.get(column) ?? column, descending }))
  const behind = values === null ? query.clone() : withWhere(query, keys, textsOf(values))
  const rows = await withTexts(behind, keys).limit(limit)
  const properties = order.keys.map(({ column }) => column.slice(column.lastIndexOf('.') + 1))
  return rows.map((row) => takeTexts<Found>(row, properties.map((property) => row[property])))
}

/** Finds what a query selects under each name: a condition on a bare name would mean a column of any joined table. */
function selectedIn({ _statements }: Builder): ReadonlyMap<string, string> {
  const columns = _statements.flatMap(({ grouping, value }) => (grouping === 'columns' && Array.isArray(value) ? value as unknown[] : []))
  const named = columns.filter((column) => typeof column === 'string').map((column): [string, string] => {
    const [, inner = column, alias] = /^(.+?)\s+as\s+(.+)$/i.exec(column) ?? []
    return [alias ?? inner.slice(inner.lastIndexOf('.') + 1), inner]
  })
  return new Map(named.filter(([name]) => name !== '*'))
}

/** What the query asks stays together in parentheses: `a or b and behind` would mean something else. */
function withWhere(query: Builder, keys: readonly Key[], values: readonly unknown[]): Builder {
  const own = query._statements.filter(({ grouping }) => grouping === 'where')
  const rest = query.clone().clearWhere()
  const asked = own.length === 0 ? rest : rest.where((group) => void group._statements.push(...own))
  return asked.where((group) => isBehind(group, keys, values))
}

/** Knex leaves the group out that stays empty, when no key is left. */
function isBehind(group: Builder, [key, ...later]: readonly Key[], [value, ...next]: readonly unknown[]): void {
  if (key === undefined) return
  const sign = key.descending ? '<' : '>'
  // The bound is implied by what it stands beside; with it a database begins in the right place of an index.
  group.where(key.column, `${sign}=`, value).where((either) => void either
    .where(key.column, sign, value)
    .orWhere((equal) => isBehind(equal, later, next)))
}

function withTexts(query: Builder, keys: readonly Key[]): Builder {
  const isBare = query._statements.every(({ grouping }) => grouping !== 'columns')
  return keys.reduce(
    (selected, { column }, index) => selected.select(query.client.raw('concat(??) as ??', [column, textColumn(index)])),
    isBare ? query.select('*') : query,
  )
}
