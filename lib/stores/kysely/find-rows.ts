import { checkWhere, type AnyWhere } from '../check-where.js'
import type { Access, Row } from './access.js'
import { reading } from './calls.js'
import { readRow } from './columns.js'

/** The rows with these keys that match, in the order of the keys; inside a transaction they are locked. */
export async function findRows({ db, key, columns, dialect, select }: Access, keys: readonly unknown[], where: AnyWhere = []): Promise<Row[]> {
  const all: AnyWhere = [[key, 'in', keys], ...where]
  checkWhere(all)
  if (keys.length === 0) return []
  // Always in one order: two who lock the same rows then wait for each other in turn, and not for ever.
  const query = db.isTransaction && dialect !== 'sqlite' ? select(all).orderBy(key).forUpdate() : select(all)
  const rows = (await reading(db.isTransaction, () => query.execute())).map((row) => readRow(row, columns))
  // As text: a driver may hand a number over as one.
  const byKey = new Map(rows.map((row) => [String(row[key]), row]))
  return [...new Set(keys.map(String))].map((each) => byKey.get(each)).filter((row) => row !== undefined)
}
