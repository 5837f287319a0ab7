import { isList, isObject, MisuseError, mapValues } from '../../core/index.js'
import { inTurns } from '../sql/lock.js'
import type { Catalog } from '../sql/catalog.js'
import { readJson } from '../sql/columns.js'
import type { Dialect } from '../sql/kinds.js'
import { sql, writePiece, type Sql } from '../sql/statement.js'
import { lockText, orderBy, type Codec, type Inserted, type Row, type Selection, type SqlTable } from '../sql/table.js'
import { statementOf, Text, type Column, type Database, type Report, type Schema, type Sql as Statement, type Table,
  type Writing } from './library.js'
import { isInside, transact } from './transaction.js'

interface Known extends Pick<SqlTable<Database>, 'dialect' | 'key' | 'columns'> {
  readonly table: Table
  readonly schema: Schema
}

/** Returns a table on a database or on a transaction of it. */
export function tableOf(db: Database, info: Known): SqlTable<Database> {
  const { table, schema, dialect } = info
  const { columns } = schema
  const isTransaction = isInside(db)
  const columnOf = (name: string): Column => columnNamed(name, schema)
  const write = (piece: Sql): Statement =>
    statementOf(table.getSQL(), writePiece<unknown>(piece, {
      text: (text) => new Text(text),
      column: columnOf,
      value: (value) => value,
      raw: checkRaw,
    }))
  const { selected, returning } = readsOf(columns, dialect, write)
  const byDefault = () => (dialect === 'sqlite' ? null : write(sql`default`))
  const inserted = ownValues(columns, (name) => columns[name]?.defaultFn?.() ?? byDefault())
  const changed = ownValues(columns, columnOf)
  const select = ({ where, order = [], limit, offset, extras = {}, lock }: Selection) => {
    let query = db.select({ ...selected, ...mapValues(extras, write) }).from(table).where(write(where))
    // Drizzle has no `lock in share mode`, and an order is the last part of a statement that locks.
    const isAtEnd = lock === 'share' && dialect === 'mysql'
    const end = isAtEnd ? [lockText(lock, dialect)] : []
    if (order.length > 0) query = query.orderBy(write([...orderBy(order), ...end]))
    if (limit !== undefined) query = query.limit(limit)
    if (offset !== undefined) query = query.offset(offset)
    return lock === undefined || isAtEnd ? query : query.for(lock)
  }
  return inTurns({
    ...info,
    name: schema.name,
    db,
    isTransaction,
    // A database and its transactions share one dialect.
    identity: db.dialect,
    place: () => ({ schema: schema.schema, table: schema.name }),
    fields: () => {
      const { casing } = db.dialect
      const nameOf = (column: Column): string => casing?.getColumnCasing(column) ?? column.name
      return new Map(Object.entries(columns).map(([name, column]) => [nameOf(column), name]))
    },
    isConverted: (column) => columns[column]?.dataType === 'custom',
    isDecimal: (column) => columns[column]?.dataType === 'string',
    codec: (catalog) => codecOf(columns, catalog, dialect),
    query: async (statement) => {
      const fields = { part: sql`part`, name: sql`name`, value: sql`value` }
      return db.select(mapValues(fields, write)).from(write(sql`(${statement}) as described`))
    },
    select: async (selection) => select(selection),
    count: async (where) =>
      (await db.select({ total: write(sql`count(*)`) }).from(table).where(write(where)))[0]?.total,
    compute: async (where, expressions) =>
      (await db.select(mapValues(expressions, write)).from(table).where(write(where)))[0] ?? {},
    insert: (row) => insertRow(db, inserted(row), info, returning),
    insertMany: dialect === 'mysql'
      ? undefined
      : async (rows) => returning(db.insert(table).values(rows.map(inserted))),
    update: async (changes, where) => db.update(table).set(changed(changes)).where(write(where)),
    updateReturning: dialect === 'mysql'
      ? undefined
      : async (changes, where) => returning(db.update(table).set(changed(changes)).where(write(where))),
    delete: async (where) => {
      const deletion = db.delete(table).where(write(where))
      if (dialect !== 'mysql') return (await deletion.returning({ key: columnOf(info.key) })).length
      return Number(reportOf(await deletion).affectedRows)
    },
    transaction: (work) => transact(db, info, work),
    on: (other) => tableOf(other, info),
  }, db.$client ?? db)
}

/**
 * Returns a function that gives each column a value of the row itself: Drizzle would write `Object` to a column
 * `constructor` that a row does not have, since every object inherits such a property.
 */
function ownValues(columns: Schema['columns'], valueOf: (name: string) => unknown): (row: Row) => Row {
  const inherited = Object.keys(columns).filter((name) => name in Object.prototype)
  if (inherited.length === 0) return (row) => row
  return (row) => ({
    ...Object.fromEntries(inherited.map((name) => [name, valueOf(name)])),
    ...row,
  })
}

function columnNamed(name: string, { name: table, columns }: Schema): Column {
  const column = columns[name]
  if (column === undefined) throw new MisuseError('store_column', `The table \`${table}\` has no column \`${name}\`.`)
  return column
}

/** Reads the report of a MySQL driver; some drivers put it into a list. */
function reportOf(result: Report | readonly Report[]): Omit<Report, 'rowsAffected'> {
  const { insertId, affectedRows, rowsAffected } = (isList(result) ? result[0] : result) ?? {}
  return { insertId, affectedRows: affectedRows ?? rowsAffected }
}

async function insertRow(
  db: Database,
  row: Row,
  { table, schema, key, dialect }: Known,
  returning: (writing: Writing) => PromiseLike<Row[]>,
): Promise<Inserted> {
  if (dialect !== 'mysql') return { row: (await returning(db.insert(table).values(row)))[0] ?? {} }
  // MySQL does not return a key that drizzle makes.
  const made: unknown = row[key] ?? schema.columns[key]?.defaultFn?.()
  const report = reportOf(await db.insert(table).values(made === undefined ? row : { ...row, [key]: made }))
  return { key: made ?? report.insertId }
}

/** Returns the selected columns of a row, and a function that makes a write return it. */
function readsOf(columns: Schema['columns'], dialect: Dialect, write: (piece: Sql) => Statement) {
  const text = dialect === 'mysql' ? sql` as char)` : sql` as text)`
  const texts = [...jsonOf(dialect, columns), ...bigintsOf(dialect, columns)]
    .map((name) => [name, write([...sql`cast(${{ column: name }}`, ...text])] as const)
  const selected = { ...columns, ...Object.fromEntries(texts) }
  return {
    selected,
    returning: (writing: Writing) => (texts.length === 0 ? writing.returning() : writing.returning(selected)),
  }
}

/**
 * Names the columns of JSON that are selected as text: on PostgreSQL, drizzle parses what the driver has parsed, and
 * would read 5 of the string `"5"`.
 */
function jsonOf(dialect: Dialect, columns: Schema['columns']): readonly string[] {
  if (dialect !== 'postgres') return []
  return Object.entries(columns)
    .filter(([, column]) => column.dataType === 'json' && /^jsonb?$/.test(column.getSQLType()))
    .map(([name]) => name)
}

/** Names the columns of bigints that are selected as text: mysql2 rounds large numbers by default. */
function bigintsOf(dialect: Dialect, columns: Schema['columns']): readonly string[] {
  return dialect === 'mysql' ? Object.keys(columns).filter((name) => columns[name]?.dataType === 'bigint') : []
}

/** Drizzle converts rows by itself. MariaDB calls JSON a string, which drizzle expects to be parsed. */
function codecOf(columns: Schema['columns'], catalog: Catalog, dialect: Dialect): Codec {
  const unread = dialect === 'mysql'
    ? Object.keys(columns).filter((name) => columns[name]?.dataType === 'json' && !catalog.isParsed(name))
    : jsonOf(dialect, columns)
  const bigints = bigintsOf(dialect, columns)
  return {
    compared: (column, value) => columns[column]?.mapToDriverValue(value),
    stored: (row) => mapValues(row, withPrototypes),
    read: (row) => {
      if (unread.length + bigints.length === 0) return row
      return {
        ...row,
        ...Object.fromEntries(unread.map((name) => [name, readJson(row[name])])),
        ...Object.fromEntries(bigints.map((name) => [name, readBigint(row[name])])),
      }
    },
  }
}

function readBigint(value: unknown): unknown {
  return typeof value === 'string' ? BigInt(value) : value
}

/** Copies objects that have no prototype, such as those of a body: drizzle asks each value for its constructor. */
function withPrototypes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withPrototypes)
  if (!isObject(value)) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) return value
  return mapValues(value, withPrototypes)
}

/** @throws MisuseError `store_raw` for a value that is not a condition of drizzle. */
function checkRaw(raw: unknown): unknown {
  if (typeof raw === 'object' && raw !== null && 'getSQL' in raw && typeof raw.getSQL === 'function') return raw
  throw new MisuseError(
    'store_raw',
    'A raw condition of a drizzleStore is a condition of drizzle, as in raw(sql`…`) or raw(exists(db.select()…)).',
  )
}
