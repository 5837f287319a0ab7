import type { ForeignKey } from '../../crud/contract/index.js'
import { quote } from './catalog-questions.js'
import { sql, type Sql } from './statement.js'
import type { Describe } from './describe.js'
import type { SqlTable } from './table.js'

/** Reads the foreign keys of one column each: the schema and the table that it refers to, and its name. */
function questionOf<Db>({ dialect, place }: SqlTable<Db>): Sql {
  const { schema, table } = place()
  if (dialect === 'sqlite') {
    return sql`select '' as part, max("from") as name, max("table") as value
from pragma_foreign_key_list(${{ value: table }}) group by id having count(*) = 1`
  }
  if (dialect === 'mysql') {
    return sql`
select max(referenced_table_schema) as part, max(column_name) as name, max(referenced_table_name) as value
from information_schema.key_column_usage
where table_schema = coalesce(${{ value: schema ?? null }}, database()) and table_name = ${{ value: table }}
and referenced_table_name is not null group by constraint_name having count(*) = 1`
  }
  return sql`select n.nspname::text as part, a.attname::text as name, c.relname::text as value
from pg_constraint con join pg_attribute a on a.attrelid = con.conrelid and a.attnum = con.conkey[1]
join pg_class c on c.oid = con.confrelid join pg_namespace n on n.oid = c.relnamespace
where con.contype = 'f' and cardinality(con.conkey) = 1
and con.conrelid = to_regclass(${{ value: quote({ schema, table }) }}::text)`
}

/** Returns the foreign keys of a table, by the names that its columns have in a row. */
export async function foreignKeysOf<Db>(table: SqlTable<Db>, describe: Describe): Promise<ForeignKey[]> {
  const { catalog } = await describe(table)
  const lines = await table.query(questionOf(table))
  return lines.map(({ part, name, value }) => ({
    field: catalog.field(String(name)),
    table: { schema: part === '' ? undefined : String(part), table: String(value) },
  }))
}
