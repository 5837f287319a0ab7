import { memoize, mapValues } from '../../core/index.js'
import { checkValues, withoutUndefined, type AnyWhere } from '../../crud/contract/index.js'
import { reading } from './calls.js'
import type { Line } from './catalog-lines.js'
import { Catalog } from './catalog.js'
import { questionsOf } from './catalog-questions.js'
import { checkFraction, checkStored, readRow, writeValue } from './columns.js'
import { toComparable, isDecimalText, type ComparedColumns } from './comparable.js'
import { toSql } from './conditions.js'
import type { Sql } from './statement.js'
import type { Codec, Row, SqlTable } from './table.js'

/** The columns of a table, and the conversions that depend on them. */
export interface Described {
  readonly catalog: Catalog
  readonly codec: Codec
  readonly toSql: (where: AnyWhere) => Sql
  /** Checks the values to write. @throws ColumnViolation for a value that its column cannot hold. */
  readonly checked: (fields: Row) => Row
}

export type Opened<Db> = Described & { readonly table: SqlTable<Db> }

/** Describes a table on a database or on a transaction. */
export type Describe = <Db>(table: SqlTable<Db>) => Promise<Described>

function describeBy<Db>(table: SqlTable<Db>, catalog: Catalog): Described {
  const { dialect } = table
  const { types } = catalog
  const read = Object.fromEntries(
    Object.entries(types).filter(([column, type]) => type !== 'json' || !catalog.isParsed(column)),
  )
  const codec = table.codec?.(catalog) ?? {
    compared: (column, value) => writeValue(column, value, types, dialect),
    stored: (fields) => mapValues(fields, (value, column) => writeValue(column, value, types, dialect)),
    read: (row) => readRow(row, read),
  }
  return {
    catalog,
    codec,
    toSql: (where) =>
      toSql(toComparable(where, withLabels(catalog, codec), dialect), {
        dialect,
        toDriver: codec.compared,
        columnOf: (column) => catalog.column(column),
        // A `digits` column of PostgreSQL may be a bigint, whose index a numeric would not use.
        isDecimal: (column, value) => {
          const { kind } = catalog.column(column)
          return isDecimalText(value, kind) && (kind === 'decimal' || dialect === 'mysql')
        },
      }),
    checked: (fields) => {
      checkValues(fields)
      const row = withoutUndefined(fields)
      for (const [column, value] of Object.entries(row)) {
        catalog.checkExists(column)
        checkStored(column, value, types, dialect)
        if (table.isConverted?.(column) === true) continue
        const described = catalog.find(column)
        const isDecimal = table.isDecimal?.(column) === true || described?.kind === 'decimal'
        checkFraction(column, value, described, isDecimal)
      }
      return row
    },
  }
}

/** The columns of a table, the labels of an enum as a row has them. */
function withLabels(catalog: Catalog, { labels }: Codec): ComparedColumns {
  if (labels === undefined) return catalog
  return {
    checkExists: (field) => catalog.checkExists(field),
    column: (field) => ({ ...catalog.column(field), labels: labels(field) ?? catalog.column(field).labels }),
  }
}

/** The catalogs of tables, cached for the stores that each transaction creates. */
const linesByPlace = memoize((_identity: object) => new Map<string, readonly Line[]>())

/**
 * Reads the catalog of a table once, at the first use. A transaction reads it on its own connection: to wait for
 * another one could last for ever where there is only one.
 */
export function describing(): Describe {
  let described: Described | undefined
  return async (table) => {
    if (described !== undefined) return described
    const catalog = await reading(table.isTransaction, () => catalogOf(table))
    const made = describeBy(table, catalog)
    // A table that is yet to be created is looked at again.
    if (!catalog.isEmpty) described = made
    return made
  }
}

async function catalogOf<Db>(table: SqlTable<Db>): Promise<Catalog> {
  const { dialect, identity } = table
  const place = table.place()
  const name = JSON.stringify(place)
  const tables = linesByPlace(identity)
  const cached = table.isTransaction ? tables.get(name) : undefined
  const lines = cached ?? await linesOf(table, questionsOf(dialect, place))
  if (lines.length > 0) tables.set(name, lines)
  const fields = await table.fields(lines.filter(({ part }) => part === 'column').map((line) => String(line.name)))
  return new Catalog(table, lines, fields)
}

async function linesOf<Db>(
  table: SqlTable<Db>,
  [first, ...others]: readonly [Sql, ...Sql[]],
): Promise<readonly Line[]> {
  const ask = async (question: Sql): Promise<readonly Line[]> => table.query(question)
  const lines = [...await ask(first)]
  // Without them a CHECK has no columns, and all else is as it should be.
  for (const question of others) lines.push(...await ask(question).catch(() => []))
  return lines
}
