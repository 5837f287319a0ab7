import type { AnyWhere } from '../check-where.js'
import { writeValue, type Columns } from './columns.js'
import { toExpression } from './conditions.js'
import type { Dialect } from './dialect.js'
import type { Expression, ExpressionBuilder } from './expressions.js'
import type { Database, Select } from './table.js'

export type Row = Readonly<Record<string, unknown>>

/** What is known of one table before anything is asked. */
export interface Table {
  readonly table: string
  readonly key: string
  readonly columns: Columns
  readonly dialect: Dialect
}

/** One table of a database, or of a transaction on it. */
export interface Access extends Table {
  readonly db: Database
  /** The rows that match, without an order. */
  readonly select: (where: AnyWhere) => Select
  readonly matching: (where: AnyWhere) => (eb: ExpressionBuilder) => Expression
  /** Values as the driver takes them. */
  readonly written: (fields: Row) => Row
}

export function accessTo(db: Database, table: Table): Access {
  const { columns, dialect } = table
  const write = (field: string, value: unknown): unknown => writeValue(field, value, columns, dialect)
  const matching = (where: AnyWhere) => (eb: ExpressionBuilder): Expression => toExpression(eb, where, dialect, write)
  return {
    ...table,
    db,
    matching,
    select: (where) => db.selectFrom(table.table).selectAll().where(matching(where)),
    written: (fields) => Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, write(field, value)])),
  }
}
