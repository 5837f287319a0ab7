import { quote } from '../../adapters/sql/catalog-questions.js'
import type { Dialect } from '../../adapters/sql/kinds.js'
import { sql, type Sql } from '../../adapters/sql/statement.js'
import type { TableName } from './table.js'

/*
 * The statements that describe a table. Each line has a part, a name, and a value in JSON: a `column`, or a
 * `constraint` of the kind p (primary key), u (unique), f (foreign key) or c (CHECK). The other parts are `table` and
 * `version`.
 */

const postgres = (place: TableName): Sql =>
  sql`
with place as (select to_regclass(${{ value: quote({ schema: place.schema, table: place.table }) }}::text)::oid as id)
select 'column' as part, a.attname::text as name, json_build_object('at', a.attnum,
  'type', format_type(coalesce(nullif(t.typbasetype, 0), t.oid),
    case when t.typbasetype = 0 then a.atttypmod else t.typtypmod end),
  'isRequired', a.attnotnull or t.typnotnull, 'isGenerated', a.attidentity <> '' or a.attgenerated <> '',
  'default', coalesce(pg_get_expr(d.adbin, d.adrelid), t.typdefault),
  'labels', (select json_agg(e.enumlabel order by e.enumsortorder) from pg_enum e
    where e.enumtypid in (t.oid, t.typbasetype)))::text as value
from pg_attribute a join place on place.id = a.attrelid join pg_type t on t.oid = a.atttypid
left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
where a.attnum > 0 and not a.attisdropped
union all
select 'constraint', con.conname::text, json_build_object('kind', con.contype,
  'columns', (select json_agg(a.attname order by k.at) from unnest(con.conkey) with ordinality k(num, at)
    join pg_attribute a on a.attrelid = con.conrelid and a.attnum = k.num),
  'schema', nullif(n.nspname, current_schema()), 'table', r.relname, 'definition', pg_get_constraintdef(con.oid))::text
from pg_constraint con join place on place.id = con.conrelid
left join pg_class r on r.oid = con.confrelid left join pg_namespace n on n.oid = r.relnamespace
where con.contype in ('p', 'u', 'f', 'c')
union all
select 'constraint', i.relname::text, json_build_object('kind', 'u',
  'columns', (select json_agg(a.attname order by k.at) from unnest(x.indkey::int2[]) with ordinality k(num, at)
    join pg_attribute a on a.attrelid = x.indrelid and a.attnum = k.num))::text
from pg_index x join place on place.id = x.indrelid join pg_class i on i.oid = x.indexrelid
where x.indisunique and not x.indisprimary and x.indpred is null and x.indexprs is null
and not exists (select from pg_constraint c where c.conindid = x.indexrelid)
union all
select 'constraint', con.conname::text, json_build_object('kind', 'c', 'columns', json_build_array(a.attname),
  'definition', regexp_replace(pg_get_constraintdef(con.oid), '\\mVALUE\\M', a.attname, 'g'))::text
from pg_attribute a join place on place.id = a.attrelid join pg_constraint con on con.contypid = a.atttypid
where a.attnum > 0 and con.contype = 'c'
union all
select 'table', c.relname::text, json_build_object('isView', c.relkind not in ('r', 'p', 'f'))::text
from pg_class c join place on place.id = c.oid`

const inTable = ({ schema, table }: TableName): Sql =>
  sql`table_schema = coalesce(${{ value: schema ?? null }}, database()) and table_name = ${{ value: table }}`

const mysql = (place: TableName): Sql =>
  sql`
select 'column' as part, column_name as name, cast(json_object('at', ordinal_position, 'type', column_type,
  'isRequired', is_nullable = 'NO', 'default', column_default, 'extra', extra) as char) as value
from information_schema.columns where ${inTable(place)}
union all
select 'constraint', index_name, cast(json_object('kind', if(index_name = 'PRIMARY', 'p', 'u'), 'at', seq_in_index,
  'column', column_name) as char)
from information_schema.statistics where ${inTable(place)} and non_unique = 0 and column_name is not null
union all
select 'constraint', constraint_name, cast(json_object('kind', 'f', 'at', ordinal_position, 'column', column_name,
  'schema', nullif(referenced_table_schema, database()), 'table', referenced_table_name) as char)
from information_schema.key_column_usage where ${inTable(place)} and referenced_table_name is not null
union all
select 'table', table_name, cast(json_object('isView', table_type <> 'BASE TABLE') as char)
from information_schema.tables where ${inTable(place)}
union all
select 'version', version(), '' from information_schema.tables where ${inTable(place)}`

/** MariaDB names CHECK constraints by table, and so often by their column; MySQL names them by schema. */
const mysqlChecks = (place: TableName, isMariaDb: boolean): Sql =>
  isMariaDb
    ? sql`select 'constraint' as part, constraint_name as name,
cast(json_object('kind', 'c', 'definition', check_clause) as char) as value
from information_schema.check_constraints
where constraint_schema = coalesce(${{ value: place.schema ?? null }}, database())
and table_name = ${{ value: place.table }}`
    : sql`select 'constraint' as part, c.constraint_name as name,
cast(json_object('kind', 'c', 'definition', c.check_clause) as char) as value
from information_schema.check_constraints c join information_schema.table_constraints t
on t.constraint_schema = c.constraint_schema and t.constraint_name = c.constraint_name
where t.table_schema = coalesce(${{ value: place.schema ?? null }}, database())
and t.table_name = ${{ value: place.table }} and t.constraint_type = 'CHECK'`

const sqlite = ({ table }: TableName): Sql =>
  sql`
select 'column' as part, name, json_object('at', cid, 'type', type, 'isRequired', "notnull" or pk > 0, 'default',
  dflt_value, 'isGenerated', hidden in (2, 3)) as value
from pragma_table_xinfo(${{ value: table }}) where hidden <> 1
union all
select 'constraint', 'primary', json_object('kind', 'p', 'at', pk, 'column', name)
from pragma_table_info(${{ value: table }}) where pk > 0
union all
select 'constraint', l.name, json_object('kind', 'u', 'at', i.seqno, 'column', i.name)
from pragma_index_list(${{ value: table }}) l, pragma_index_info(l.name) i
where l."unique" = 1 and l.origin <> 'pk' and l.partial = 0
union all
select 'constraint', 'key ' || id, json_object('kind', 'f', 'at', seq, 'column', "from", 'table', "table")
from pragma_foreign_key_list(${{ value: table }})
union all
select 'table', name, json_object('isView', json(case type when 'view' then 'true' else 'false' end), 'sql', sql)
from sqlite_master where type in ('table', 'view') and name = ${{ value: table }}`

export function describeQuestion(dialect: Dialect, place: TableName): Sql {
  if (dialect === 'sqlite') return sqlite(place)
  return dialect === 'mysql' ? mysql(place) : postgres(place)
}

/** Returns the statement that lists CHECK constraints, where the first one has none. */
export function checksQuestion(dialect: Dialect, place: TableName, version: string): Sql | undefined {
  return dialect === 'mysql' ? mysqlChecks(place, /mariadb/i.test(version)) : undefined
}

/** Returns the statement that lists all tables, those of another schema with its name in front. */
export function tablesQuestion(dialect: Dialect): Sql {
  if (dialect === 'sqlite') {
    return sql`select 'table' as part, name, '' as value from sqlite_master
where type = 'table' and name not like 'sqlite%'`
  }
  if (dialect === 'mysql') {
    return sql`select 'table' as part, table_name as name, '' as value from information_schema.tables
where table_schema = database() and table_type = 'BASE TABLE'`
  }
  return sql`select 'table' as part,
case table_schema when current_schema() then table_name else table_schema || '.' || table_name end as name, '' as value
from information_schema.tables
where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`
}

/** Returns the statement whose line is 1 where SQLite enforces foreign keys. */
export const enforcedQuestion: Sql = sql`select 'foreign keys' as part, '' as name,
cast(foreign_keys as text) as value from pragma_foreign_keys`
