import { MisuseError } from '../../errors.js'
import type { ComparedColumn, ComparedColumns } from './comparable.js'
import {
  combined,
  kindOf,
  isColumnType,
  type Columns,
  type ColumnType,
  type DatabaseColumn,
  type Declared,
  type Dialect,
  type Kind,
} from './kinds.js'
import { sql, type Sql } from './statement.js'
import type { Names } from './violations.js'

/**
 * A line of the answer: a `column` with its type, a `required` column, a `label` of an enum, a column or an expression
 * of a `constraint`, or the text that created the `table`.
 */
export interface Line {
  readonly part: unknown
  readonly name: unknown
  readonly value: unknown
}

/** Where a table is: the schema is `undefined` for the one that the connection begins with. */
export interface Place {
  readonly schema: string | undefined
  readonly table: string
}

const postgres = (table: string): Sql => sql`
with place as (select to_regclass(${{ value: table }}::text)::oid as id)
select 'column' as part, a.attname::text as name, coalesce(inner_base.typname, base.typname, t.typname)::text as value
from pg_attribute a join place on place.id = a.attrelid join pg_type t on t.oid = a.atttypid
left join pg_type base on t.typtype = 'd' and base.oid = t.typbasetype
left join pg_type inner_base on base.typtype = 'd' and inner_base.oid = base.typbasetype
where a.attnum > 0 and not a.attisdropped
union all
select 'required', a.attname::text, ''
from pg_attribute a join place on place.id = a.attrelid where a.attnum > 0 and a.attnotnull
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
select 'constraint', con.conname::text, a.attname::text
from pg_constraint con join place on place.id = con.conrelid
join pg_attribute a on a.attrelid = con.conrelid and a.attnum = any(con.conkey)
where con.contype in ('c', 'f', 'x')`

const mysql = (place: Sql): Sql => sql`
select 'column' as part, column_name as name, column_type as value from information_schema.columns where ${place}
union all
select 'required', column_name, '' from information_schema.columns where ${place} and is_nullable = 'NO'
union all
select 'constraint', index_name, column_name from information_schema.statistics
where ${place} and non_unique = 0 and column_name is not null
union all
select 'constraint', constraint_name, column_name from information_schema.key_column_usage
where ${place} and referenced_table_name is not null`

/** Apart from the others, since MySQL 5.7 has no such view. */
const mysqlChecks = ({ schema, table }: Place): Sql => sql`
select 'constraint' as part, c.constraint_name as name, c.check_clause as value
from information_schema.check_constraints c join information_schema.table_constraints t
on t.constraint_schema = c.constraint_schema and t.constraint_name = c.constraint_name
where t.table_schema = coalesce(${{ value: schema ?? null }}, database()) and t.table_name = ${{ value: table }}
and t.constraint_type = 'CHECK'`

const sqlite = (table: string): Sql => sql`
select 'column' as part, name, type as value from pragma_table_info(${{ value: table }})
union all
select 'required', name, '' from pragma_table_info(${{ value: table }}) where "notnull" = 1
union all
select 'constraint', name, substr(sql, instr(sql, '(')) from sqlite_master where type = 'index'
and tbl_name = ${{ value: table }} and sql like '%unique%'
union all
select 'table', name, sql from sqlite_master where type = 'table' and name = ${{ value: table }}`

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
    ]
  }
  return [
    postgres(
      [schema, table]
        .filter((name) => name !== undefined)
        .map((name) => `"${name.replaceAll('"', '""')}"`)
        .join('.'),
    ),
  ]
}

/**
 * The catalog of a table: its columns in the database, under the fields of a row, and their declared types.
 */
export class Catalog implements Names, ComparedColumns {
  readonly #table: string
  readonly #declared: Declared
  readonly #columns = new Map<string, ComparedColumn | undefined>()
  readonly #stored = new Map<string, Kind>()
  readonly #required: ReadonlySet<string>
  readonly #fields: ReadonlyMap<string, string>
  readonly #constraints = new Map<string, string[]>()
  #created = ''
  /** The types that a row is read and written by: those declared, and calendar dates that the database knows. */
  readonly types: Columns

  /** `fields` names the columns as a row has them; one that is missing is not in the row. */
  constructor(
    table: string,
    dialect: Dialect,
    declared: Declared,
    lines: readonly Line[],
    fields: ReadonlyMap<string, string>,
  ) {
    this.#table = table
    this.#declared = declared
    const described: ReadonlyMap<string, DatabaseColumn> = describedColumns(lines)
    this.#fields = new Map([...fields].filter(([column]) => described.has(column)))
    const types = new Map(Object.entries(declared))
    for (const [column, field] of this.#fields) {
      const stored = described.get(column) ?? { type: '' }
      const kind = kindOf(dialect, stored)
      this.#stored.set(field, kind)
      if (kind === 'calendarDate' && !types.has(field)) types.set(field, kind)
      const both = combined(types.get(field), kind)
      this.#columns.set(field, both && { kind: both, labels: stored.labels, isFloat: /^float\b/i.test(stored.type) })
    }
    this.types = Object.fromEntries([...types].filter((entry): entry is [string, ColumnType] => isColumnType(entry[1])))
    this.#required = new Set(
      lines.filter(({ part }) => part === 'required').map(({ name }) => this.field(String(name))),
    )
    this.#readConstraints(lines)
    this.#checkDeclared()
  }

  #readConstraints(lines: readonly Line[]): void {
    for (const { part, name, value } of lines) {
      if (part === 'table') this.#created = String(value)
      if (part === 'constraint') {
        this.#constraints.set(String(name), [...this.#constraints.get(String(name)) ?? [], String(value)])
      }
    }
  }

  get isEmpty(): boolean {
    return this.#columns.size === 0
  }

  has(field: string): boolean {
    return this.isEmpty || this.#columns.has(field)
  }

  /** The type of a column in the database, whatever type is declared. */
  stored(field: string): Kind | undefined {
    return this.#stored.get(field)
  }

  /** True for a column that may hold null, as far as is known. */
  isNullable(field: string): boolean {
    return !this.#required.has(field)
  }

  /** @throws MisuseError `store_column` for a field that is no column: SQLite would take the name for a string. */
  checkExists(field: string): void {
    if (!this.has(field)) {
      throw new MisuseError('store_column', `The table \`${this.#table}\` has no column \`${field}\`.`)
    }
  }

  #checkDeclared(): void {
    const unknown = Object.keys(this.#declared).find((field) => !this.has(field))
    if (unknown !== undefined) {
      throw new MisuseError(
        'store_column',
        `The declaration names \`${unknown}\`, and the table \`${this.#table}\` has the columns `
          + `${[...this.#columns.keys()].join(', ')}.`,
      )
    }
  }

  /**
   * Finds a column to compare. @throws MisuseError `store_column` where there is none, or where its type is not known.
   */
  column(field: string): ComparedColumn {
    this.checkExists(field)
    const declared = Object.hasOwn(this.#declared, field) ? this.#declared[field] : undefined
    const found = this.#columns.has(field) ? this.#columns.get(field) : { kind: declared ?? 'unknown' as const }
    if (found === undefined) {
      throw new MisuseError(
        'store_column_type',
        `The column \`${field}\` of the table \`${this.#table}\` is declared as `
          + `${declared ?? ''}, which is not what the database has there.`,
      )
    }
    if (found.kind !== 'unknown') return found
    const sentence =
      `The type of the column \`${field}\` of the table \`${this.#table}\` is not known, so nothing can be compared `
        + `with it: `
    throw new MisuseError('store_column_type', `${sentence}give { columns: { ${field}: 'string' } } or another type.`)
  }

  readonly field = (column: string): string => this.#fields.get(column) ?? column

  /** Names the fields of a constraint, an index, or the expression of a CHECK. */
  readonly constraintFields = (constraint: string): readonly string[] | undefined => {
    const parts = this.#constraints.get(constraint) ?? [namedCheck(this.#created, constraint) ?? constraint]
    const columns = [...this.#fields.keys()].filter((column) =>
      parts.some((part) => part === column || isNamedIn(column, part))
    )
    return columns.length === 0 ? undefined : columns.map(this.field)
  }
}

function describedColumns(lines: readonly Line[]): Map<string, DatabaseColumn> {
  const columns = new Map(
    lines.filter(({ part }) => part === 'column').map((
      { name, value },
    ): [string, DatabaseColumn] => [String(name), { type: String(value) }]),
  )
  for (const { part, name, value } of lines) {
    const { type, labels = [] } = columns.get(String(name)) ?? {}
    if (part === 'label' && type !== undefined) columns.set(String(name), { type, labels: [...labels, String(value)] })
  }
  return columns
}

/** True for a column that an expression of SQL names, outside of its strings. */
function isNamedIn(column: string, expression: string): boolean {
  const words = expression.replace(/'(?:[^']|'')*'/g, '').matchAll(/[\p{L}_][\p{L}\p{N}_$]*/gu)
  return [...words].some(([word]) => word === column)
}

/** Finds the expression of a CHECK by its name in the text that created a table of SQLite. */
function namedCheck(created: string, name: string): string | undefined {
  const start = new RegExp(`constraint\\s+["'\`[]?${name.replace(/[^\w ]/g, '\\$&')}["'\`\\]]?\\s+check\\s*\\(`, 'i')
    .exec(created)
  if (start === null) return undefined
  const rest = created.slice(start.index + start[0].length)
  let depth = 1
  for (const { 0: parenthesis, index } of rest.matchAll(/[()]/g)) {
    depth += parenthesis === '(' ? 1 : -1
    if (depth === 0) return rest.slice(0, index)
  }
  return rest
}
