import { checkWhere, type AnyWhere } from '../check-where.js'
import type { Access, Described, Row } from './access.js'
import { reading } from './calls.js'
import type { Expression, ExpressionBuilder } from './expressions.js'

/** Finds the rows with these keys that match, in the order of the keys; inside a transaction they are locked. */
export async function findRows(access: Access, keys: readonly unknown[], where: AnyWhere = []): Promise<Row[]> {
  const all: AnyWhere = [[access.key, 'in', keys], ...where]
  checkWhere(all)
  if (keys.length === 0) return []
  const described = await access.describe()
  return rowsOf(access, described, keys, described.matching(all))
}

export async function rowsOf(
  { db, table, key, dialect }: Access, { asRow }: Described, keys: readonly unknown[], condition: (eb: ExpressionBuilder) => Expression,
): Promise<Row[]> {
  const selected = db.selectFrom(table).selectAll().where(condition)
  // Always in one order: two who lock the same rows then wait for each other in turn, and not for ever.
  const query = db.isTransaction && dialect !== 'sqlite' ? selected.orderBy(key).forUpdate() : selected
  const rows = (await reading(db.isTransaction, () => query.execute())).map(asRow)
  // As text: a driver may return a number as one.
  const byKey = new Map(rows.map((row) => [String(row[key]), row]))
  return [...new Set(keys.map(String))].map((each) => byKey.get(each)).filter((row) => row !== undefined)
}
