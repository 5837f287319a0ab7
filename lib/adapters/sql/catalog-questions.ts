import type { Place } from '../../crud/contract/index.js'
import type { Dialect } from './kinds.js'
import { sql, type Sql } from './statement.js'

const postgres = (table: string): Sql =>
  sql`
with place as (select to_regclass(${{ value: table }}::text)::oid as id)
select 'column' as part, a.attname::text as name, coalesce(inner_base.typname, base.typname, t.typname)::text as value
from pg_attribute a join place on place.id = a.attrelid join pg_type t on t.oid = a.atttypid
left join pg_type base on t.typtype = 'd' and base.oid = t.typbasetype
left join pg_type inner_base on base.typtype = 'd' and inner_base.oid = base.typbasetype
where a.attnum > 0 and not a.attisdropped
union all
select 'digits', a.attname::text, concat('decimal(', (greatest(a.atttypmod, t.typtypmod) - 4) >> 16, ',',
(((greatest(a.atttypmod, t.typtypmod) - 4) & 2047) # 1024) - 1024, ')')
from pg_attribute a join place on place.id = a.attrelid join pg_type t on t.oid = a.atttypid
left join pg_type base on t.typtype = 'd' and base.oid = t.typbasetype
where a.attnum > 0 and greatest(a.atttypmod, t.typtypmod) > 3 and coalesce(base.typname, t.typname) = 'numeric'
union all
select 'required', a.attname::text, ''
from pg_attribute a join place on place.id = a.attrelid where a.attnum > 0 and a.attnotnull
union all
select 'default', a.attname::text,
case a.attidentity when '' then coalesce(pg_get_expr(d.adbin, d.adrelid), '') else 'nextval()' end
from pg_attribute a join place on place.id = a.attrelid join pg_type t on t.oid = a.atttypid
left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
where a.attnum > 0 and (a.atthasdef or a.attidentity <> '' or t.typdefault is not null)
union all
select 'nondeterministic', a.attname::text, ''
from pg_attribute a join place on place.id = a.attrelid join pg_collation c on c.oid = a.attcollation
where a.attnum > 0 and not c.collisdeterministic
union all
select 'label', a.attname::text, e.enumlabel::text
from pg_attribute a join place on place.id = a.attrelid join pg_type t on t.oid = a.atttypid
join pg_enum e on e.enumtypid in (t.oid, t.typbasetype) where a.attnum > 0
union all
select 'constraint', c.relname::text, pg_get_indexdef(i.indexrelid, k, true)
from pg_index i join place on place.id = i.indrelid
join pg_class c on c.oid = i.indexrelid, generate_series(1, i.indnkeyatts) k
where i.indisunique
union all
select 'unique', a.attname::text, ''
from pg_index i join place on place.id = i.indrelid
join pg_attribute a on a.attrelid = i.indrelid and a.attnum = i.indkey[0]
where i.indisunique and i.indisvalid and i.indnkeyatts = 1 and i.indpred is null
union all
select 'constraint', con.conname::text, a.attname::text
from pg_constraint con join place on place.id = con.conrelid
join pg_attribute a on a.attrelid = con.conrelid and a.attnum = any(con.conkey)
where con.contype in ('c', 'f', 'x')
union all
select 'changes', '', 'later' from pg_class c join place on place.id = c.oid
where c.relkind <> 'r' or c.relhasrules or c.relhassubclass
union all
select 'table', c.relname::text, '' from pg_class c join place on place.id = c.oid
where c.relkind = 'r' and not c.relhasrules and not c.relhassubclass
union all
select 'changes', '', case when t.tgtype & 2 = 0 then 'later' else '' end
from pg_trigger t join place on place.id = t.tgrelid where not t.tgisinternal
union all
select 'changes', '', '' from pg_attribute a join place on place.id = a.attrelid where a.attgenerated <> ''
union all
select 'changes', a.attname::text, 'later'
from pg_constraint con join place on place.id = con.confrelid
join pg_attribute a on a.attrelid = con.confrelid and a.attnum = any(con.confkey)
where con.contype = 'f' and con.confupdtype in ('c', 'n', 'd')`

const mysql = (place: Sql): Sql =>
  sql`
select 'column' as part, column_name as name, column_type as value from information_schema.columns where ${place}
union all
select 'required', column_name, '' from information_schema.columns where ${place} and is_nullable = 'NO'
union all
select 'constraint', index_name, column_name from information_schema.statistics
where ${place} and non_unique = 0 and column_name is not null
union all
select 'constraint', constraint_name, column_name from information_schema.key_column_usage
where ${place} and referenced_table_name is not null
union all
select 'version', version(), '' from information_schema.tables where ${place}
union all
select 'table', table_name, '' from information_schema.tables where ${place} and table_type = 'BASE TABLE'`

/** Apart from the others, since MySQL 5.7 has no such view. */
const mysqlChecks = ({ schema, table }: Place): Sql =>
  sql`
select 'constraint' as part, c.constraint_name as name, c.check_clause as value
from information_schema.check_constraints c join information_schema.table_constraints t
on t.constraint_schema = c.constraint_schema and t.constraint_name = c.constraint_name
where t.table_schema = coalesce(${{ value: schema ?? null }}, database()) and t.table_name = ${{ value: table }}
and t.constraint_type = 'CHECK'`

/**
 * A string of JSON: drivers that parse what MariaDB calls JSON return it without its quotation marks. Apart from the
 * others, since a union has no such type.
 */
const mysqlJson = sql`select 'json' as part, '' as name, json_extract('["5"]', '$[0]') as value`

/** Generated columns are in `table_xinfo` alone; 1 marks the hidden columns of a virtual table. */
const sqlite = (table: string): Sql =>
  sql`
select 'column' as part, name, type as value from pragma_table_xinfo(${{ value: table }}) where hidden <> 1
union all
select 'required', name, '' from pragma_table_xinfo(${{ value: table }}) where hidden <> 1 and "notnull" = 1
union all
select 'constraint', name, substr(sql, instr(sql, '(')) from sqlite_master where type = 'index'
and tbl_name = ${{ value: table }} and sql like '%unique%'
union all
select 'table', name, sql from sqlite_master where type = 'table' and name = ${{ value: table }}
union all
select 'changes', '', 'later' from sqlite_master where type = 'trigger' and tbl_name = ${{ value: table }}`

/** Returns the statements that describe a table; the first one must succeed. */
export function questionsOf(dialect: Dialect, place: Place): readonly [Sql, ...Sql[]] {
  const { schema, table } = place
  if (dialect === 'sqlite') return [sqlite(table)]
  if (dialect === 'mysql') {
    return [
      mysql(
        sql`table_schema = coalesce(${{ value: schema ?? null }}, database()) and table_name = ${{ value: table }}`,
      ),
      mysqlChecks(place),
      mysqlJson,
    ]
  }
  return [postgres(quote(place))]
}

/** Writes the name of a table as PostgreSQL reads it. */
export function quote({ schema, table }: Place): string {
  return [schema, table].filter((name) => name !== undefined).map((name) => `"${name.replaceAll('"', '""')}"`).join('.')
}
