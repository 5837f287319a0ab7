import type { InsertObject } from 'kysely'
import { isMysql } from './dialect.js'
import type { Database, Tables } from './schema.js'

/** Inserts a row and tells its id: PostgreSQL returns it, MySQL reports it beside the result. */
export async function insertRow<Table extends keyof Tables>(db: Database, table: Table, row: InsertObject<Tables, Table>): Promise<number> {
  const query = db.insertInto<keyof Tables>(table).values(row as InsertObject<Tables, keyof Tables>)
  if (isMysql(db)) return Number((await query.executeTakeFirstOrThrow()).insertId)
  return (await query.returning('id').executeTakeFirstOrThrow()).id
}
