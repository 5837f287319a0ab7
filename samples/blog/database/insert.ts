import type { InsertObject } from 'kysely'
import { isMysql } from './dialect.js'
import type { Database, RowTable, Tables } from './schema.js'

/** Inserts a row and tells its id: PostgreSQL returns it, MySQL reports it beside the result. */
export async function insertRow<Table extends RowTable>(
  db: Database,
  table: Table,
  row: InsertObject<Tables, Table>,
): Promise<number> {
  const query = db.insertInto<RowTable>(table).values(row as InsertObject<Tables, RowTable>)
  if (isMysql(db)) return Number((await query.executeTakeFirstOrThrow()).insertId)
  return (await query.returning('id').executeTakeFirstOrThrow()).id
}
