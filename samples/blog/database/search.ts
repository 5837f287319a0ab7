import { sql, type Expression, type RawBuilder, type SqlBool } from 'kysely'
import { isMysql } from './dialect.js'
import type { Database } from './schema.js'

/** A condition: the column contains the text, whatever its case; `%` and `_` in the text stand for themselves. */
export function contains(db: Database, column: string, text: string): Expression<SqlBool> {
  const pattern = `%${text.replace(/[!%_]/g, '!$&')}%`
  const [searched, wanted] = [sql`lower(${sql.ref(column)})`, sql`lower(${pattern})`]
  if (!isMysql(db)) return sql<SqlBool>`${searched} like ${wanted} escape '!'`
  return sql<SqlBool>`${exactly(searched)} like ${exactly(wanted)} escape '!'`
}

/** The collations of MySQL find an accent in its letter, and `s` in `ß`. */
function exactly(text: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`convert(${text} using utf8mb4) collate utf8mb4_bin`
}
