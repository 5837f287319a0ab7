import { toCount } from '../../paging/count.js'
import type { Builder, Statement } from './builder.js'

/** How many rows a query has, whatever it joins, groups or makes distinct. */
export async function countRows(query: Builder): Promise<number> {
  const rows = query.clone().clearOrder()
  const counting = selectsRowsAsTheyAre(query) ? rows.clearSelect() : query.client.queryBuilder().from(rows.as('counted'))
  const [row] = await counting.count('* as total')
  return toCount(row?.total)
}

/** Such a query is counted without a subquery, in which MySQL would refuse two columns of one name, as a join has them. */
function selectsRowsAsTheyAre({ _statements, _single }: Builder): boolean {
  return _single.lock === undefined && _statements.every((statement) => !CHANGING.has(statement.grouping) && !isComputed(statement))
}

const CHANGING = new Set(['group', 'having', 'union'])

function isComputed({ grouping, type, value, distinct, distinctOn }: Statement): boolean {
  if (grouping !== 'columns') return false
  const isPlain = type === undefined && distinct !== true && distinctOn !== true
  return !isPlain || !(value as readonly unknown[]).every((column) => typeof column === 'string')
}
