import type { Access, Row } from './access.js'
import { writing } from './calls.js'
import { rowsOf } from './find-rows.js'

/** Adds a row; MySQL cannot return it, and reports the key that it has made beside the result. */
export async function createRow(access: Access, fields: Row): Promise<Row> {
  const { db, table, key, dialect } = access
  const described = await access.describe()
  const row = described.written(fields)
  const insert = Object.keys(row).length === 0 ? db.insertInto(table).defaultValues() : db.insertInto(table).values(row)
  if (dialect !== 'mysql') return writing(described, row, async () => described.asRow(await insert.returningAll().executeTakeFirstOrThrow()))
  const { insertId } = await writing(described, row, () => insert.executeTakeFirstOrThrow())
  const [found] = await rowsOf(access, described, [fields[key] ?? insertId], (eb) => eb(key, 'in', [row[key] ?? insertId]))
  if (found === undefined) throw new Error(`A row was added to "${table}", and cannot be found by its key "${key}".`)
  return found
}
