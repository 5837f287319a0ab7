import { sql, type Expression, type SqlBool } from 'kysely'

/** A condition: the column contains the text, whatever its case; `%` and `_` in the text stand for themselves. */
export function contains(column: string, text: string): Expression<SqlBool> {
  const pattern = `%${text.replace(/[!%_]/g, '!$&')}%`
  return sql<SqlBool>`lower(${sql.ref(column)}) like lower(${pattern}) escape '!'`
}
