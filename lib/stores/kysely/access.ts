import type { AnyWhere } from '../check-where.js'
import { checkValues, defined } from '../check-values.js'
import type { Catalog } from '../sql/catalog.js'
import { comparable } from '../sql/comparable.js'
import { reading } from './calls.js'
import { checkStored, readRow, writeValue } from './columns.js'
import { toExpression } from './conditions.js'
import type { Describe } from './describe.js'
import type { Expression, ExpressionBuilder } from './expressions.js'
import type { Database, Select, Table } from './table.js'

export type Row = Readonly<Record<string, unknown>>

/** One table of a database, or of a transaction on it. */
export interface Access extends Table {
  readonly db: Database
  /** Reads the catalog of the table, once. */
  readonly describe: () => Promise<Described>
}

/** What is done with a table whose columns are known. */
export interface Described {
  readonly catalog: Catalog
  /** Selects the rows that match, without an order. */
  readonly select: (where: AnyWhere) => Select
  readonly matching: (where: AnyWhere) => (eb: ExpressionBuilder) => Expression
  /** Converts values into those that the driver takes. */
  readonly written: (fields: Row) => Row
  /** Converts a row of the driver's. */
  readonly asRow: (row: Row) => Row
}

export function accessTo(db: Database, table: Table, describe: Describe): Access {
  return { ...table, db, describe: async () => described(db, table, await reading(db.isTransaction, () => describe(db))) }
}

function described(db: Database, { table, dialect }: Table, catalog: Catalog): Described {
  const { types } = catalog
  const write = (field: string, value: unknown): unknown => writeValue(field, value, types, dialect)
  const matching: Described['matching'] = (where) => {
    const compared = comparable(where, catalog, dialect)
    return (eb) => toExpression(eb, compared, dialect, write)
  }
  return {
    catalog,
    matching,
    select: (where) => db.selectFrom(table).selectAll().where(matching(where)),
    written: (fields) => {
      checkValues(fields)
      return Object.fromEntries(Object.entries(defined(fields)).map(([field, value]) => {
        checkStored(field, value, types, dialect)
        return [field, write(field, value)]
      }))
    },
    asRow: (row) => readRow(row, types),
  }
}
