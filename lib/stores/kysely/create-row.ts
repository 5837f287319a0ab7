import { checkTexts } from '../check-text.js'
import type { Access, Row } from './access.js'
import { writing } from './calls.js'
import { readRow } from './columns.js'
import { findRows } from './find-rows.js'

/** Adds a row; MySQL cannot return it, and reports the key it has made beside the result. */
export async function createRow(access: Access, fields: Row): Promise<Row> {
  checkTexts(fields)
  const { db, table, key, columns, dialect, written } = access
  const row = written(fields)
  const insert = Object.keys(row).length === 0 ? db.insertInto(table).defaultValues() : db.insertInto(table).values(row)
  if (dialect !== 'mysql') return writing(fields, async () => readRow(await insert.returningAll().executeTakeFirstOrThrow(), columns))
  const { insertId } = await writing(fields, () => insert.executeTakeFirstOrThrow())
  const [found] = await findRows(access, [fields[key] ?? insertId])
  if (found === undefined) throw new Error(`A row was added to "${table}", and cannot be found by its key "${key}".`)
  return found
}
