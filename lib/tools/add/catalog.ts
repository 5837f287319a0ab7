import { defaultOf, kindOf, valuesOfCheck, type Column, type Table } from './table.js'

export type Dialect = 'postgres' | 'mysql' | 'sqlite'

/** A row of a reply of the database. */
type Row = Readonly<Record<string, unknown>>

/** Runs a statement; its values are `?` on MySQL and SQLite, and `$1` on PostgreSQL. */
export type Query = (text: string, values: readonly unknown[]) => Promise<readonly Row[]>

/** Reads a table from the catalog of the database, `undefined` where there is none. */
export async function readCatalog(query: Query, dialect: Dialect, table: string): Promise<Table | undefined> {
  const columns = await query(COLUMNS[dialect], [table])
  if (columns.length === 0) return undefined
  const constraints = await query(CONSTRAINTS[dialect], dialect === 'sqlite' ? [table, table, table] : [table])
  return toTable(table, dialect, columns, await withChecks(query, dialect, table, constraints))
}

const COLUMNS: Readonly<Record<Dialect, string>> = {
  postgres:
    `select a.attname as name, format_type(coalesce(nullif(t.typbasetype, 0), t.oid), case when t.typbasetype = 0
      then a.atttypmod else t.typtypmod end) as type, a.attnotnull as required,
      pg_get_expr(d.adbin, d.adrelid) as preset,
      a.attidentity <> '' or a.attgenerated <> '' as generated,
      (select json_agg(e.enumlabel order by e.enumsortorder)::text from pg_enum e where e.enumtypid = t.oid) as labels
    from pg_attribute a join pg_type t on t.oid = a.atttypid
      left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = to_regclass(quote_ident($1)) and a.attnum > 0 and not a.attisdropped order by a.attnum`,
  mysql: `select column_name as name, column_type as type, is_nullable = 'NO' as required, column_default as preset,
      (extra like '%auto_increment%' or extra like '%GENERATED%' and extra not like '%DEFAULT_GENERATED%') as generated,
      null as labels from information_schema.columns
    where table_schema = database() and table_name = ? order by ordinal_position`,
  sqlite: `select name, type, "notnull" as required, dflt_value as preset, hidden in (2, 3)
      or (pk = 1 and lower(type) = 'integer') as generated, null as labels
    from pragma_table_xinfo(?) where hidden <> 1`,
}

/** A line for each column of a constraint; `kind` is p, u, f or c. */
const CONSTRAINTS: Readonly<Record<Dialect, string>> = {
  postgres: `select c.conname as name, c.contype::text as kind, a.attname as field, r.relname as target,
      pg_get_constraintdef(c.oid) as definition
    from pg_constraint c join pg_attribute a on a.attrelid = c.conrelid and a.attnum = any(c.conkey)
      left join pg_class r on r.oid = c.confrelid
    where c.conrelid = to_regclass(quote_ident($1)) and c.contype in ('p', 'u', 'f', 'c')
    union all
    select i.relname, 'u', a.attname, null, null from pg_index x join pg_class i on i.oid = x.indexrelid
      join pg_attribute a on a.attrelid = x.indrelid and a.attnum = any(x.indkey)
    where x.indrelid = to_regclass(quote_ident($1)) and x.indisunique and not x.indisprimary and x.indpred is null
      and x.indexprs is null and not exists (select from pg_constraint c where c.conindid = x.indexrelid)`,
  mysql: `select k.constraint_name as name, case when k.referenced_table_name is not null then 'f'
      when k.constraint_name = 'PRIMARY' then 'p' else 'u' end as kind, k.column_name as field,
      k.referenced_table_name as target, null as definition
    from information_schema.key_column_usage k where k.table_schema = database() and k.table_name = ?`,
  sqlite: `select 'primary' as name, 'p' as kind, name as field, null as target, null as definition
      from pragma_table_info(?) where pk > 0
    union all select l.name, 'u', i.name, null, null from pragma_index_list(?) l, pragma_index_info(l.name) i
      where l."unique" = 1 and l.origin <> 'pk' and l.partial = 0
    union all select 'key ' || id, 'f', "from", "table", null from pragma_foreign_key_list(?)`,
}

/** Adds the CHECK constraints of one column, which MySQL and SQLite have in other places. */
async function withChecks(query: Query, dialect: Dialect, table: string,
  lines: readonly Row[]): Promise<readonly Row[]>
{
  if (dialect !== 'sqlite') return lines
  const [row] = await query("select sql from sqlite_master where type = 'table' and name = ?", [table])
  const text = typeof row?.sql === 'string' ? row.sql : ''
  const checks = [...text.matchAll(/check\s*\(\s*["`[]?(\w+)["`\]]?\s+(in\s*\([^()]*\))\s*\)/gi)]
  return [...lines,
    ...checks.map(([, field, definition], at) => ({ name: `check ${at}`, kind: 'c', field, definition }))]
}

interface Constraint {
  readonly name: string
  readonly kind: string
  readonly fields: readonly string[]
  readonly target: string | undefined
  readonly definition: string
}

function toTable(name: string, dialect: Dialect, rows: readonly Row[], lines: readonly Row[]): Table {
  const constraints = constraintsOf(lines.map(withPlainNames))
  const single = constraints.filter(({ fields }) => fields.length === 1)
  const columns = rows.map(withPlainNames).map((row) => toColumn(row, dialect, single))
  return {
    name,
    keys: constraints.find(({ kind }) => kind === 'p')?.fields ?? [],
    columns,
    uniques: new Map(single.filter(({ kind }) => kind === 'u').map((one) => [one.name, one.fields[0] ?? ''])),
  }
}

/** Returns a row with names in lower case: MySQL 8 writes those of its catalog in upper case. */
function withPlainNames(row: Row): Row {
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [key.toLowerCase(), value]))
}

function constraintsOf(lines: readonly Row[]): Constraint[] {
  const found = new Map<string, Constraint>()
  for (const { name, kind, field, target, definition } of lines) {
    const key = `${textOf(kind)} ${textOf(name)}`
    const fields = [...found.get(key)?.fields ?? [], textOf(field)]
    found.set(key, { name: textOf(name), kind: textOf(kind), fields, target: textOf(target) || undefined,
      definition: textOf(definition) })
  }
  return [...found.values()]
}

function textOf(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString()
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

function toColumn(row: Row, dialect: Dialect, constraints: readonly Constraint[]): Column {
  const name = textOf(row.name)
  const [type, preset] = [textOf(row.type), row.preset === null ? undefined : textOf(row.preset)]
  const of = (kind: string): Constraint | undefined =>
    constraints.find((one) => one.kind === kind && one.fields[0] === name)
  const labels = row.labels === null ? enumOf(type) : JSON.parse(textOf(row.labels)) as string[]
  const values = labels ?? valuesOfCheck(of('c')?.definition ?? '')
  const kind = labels === undefined ? kindOf(type) : 'string'
  const isKey = of('p') !== undefined
  const [, size, scale] = /\((\d+)(?:,\s*(\d+))?\)/.exec(type) ?? []
  return {
    name,
    kind,
    type,
    isNullable: !isKey && !isTrue(row.required),
    isGenerated: isTrue(row.generated) || /^nextval\(/.test(preset ?? ''),
    default: defaultOf(dialect === 'mysql' ? quotedDefault(preset, kind) : preset, kind),
    length: kind === 'string' && size !== undefined ? Number(size) : undefined,
    scale: kind === 'decimal' ? Number(scale ?? (size === undefined ? 10 : 0)) : undefined,
    values,
    references: of('f')?.target,
  }
}

function isTrue(value: unknown): boolean {
  return value === true || Number(value) === 1
}

/** Returns the values of a type of MySQL: `enum('open','done')`. */
function enumOf(type: string): string[] | undefined {
  if (!/^enum\(/i.test(type)) return undefined
  return [...type.matchAll(/'((?:[^']|'')*)'/g)].map(([, value = '']) => value.replaceAll("''", "'"))
}

/** Quotes the default of a string: MySQL writes it without quotes, MariaDB with them. */
function quotedDefault(preset: string | undefined, kind: string): string | undefined {
  if (preset === undefined || kind !== 'string' || preset.startsWith("'") || /^NULL$/.test(preset)) return preset
  return `'${preset.replaceAll("'", "''")}'`
}
