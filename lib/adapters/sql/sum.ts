import { MisuseError } from '../../core/index.js'
import { checkWhere, type AnyWhere } from '../../crud/contract/index.js'
import { reading } from './calls.js'
import type { Kind } from './kinds.js'
import { sql, type Sql } from './statement.js'
import type { Describe } from './describe.js'
import type { SqlTable } from './table.js'

const NUMBERS: readonly Kind[] = ['integer', 'bigint', 'number', 'numeric', 'digits', 'decimal']

/**
 * Sums columns over all rows that match, exactly: the database makes the text of each sum.
 *
 * @throws MisuseError `store_sum` for a column that does not hold numbers.
 */
export async function sumOf<Db>(
  table: SqlTable<Db>,
  describe: Describe,
  columns: readonly string[],
  where: AnyWhere = [],
): Promise<Readonly<Record<string, string>>> {
  checkWhere(where)
  const { catalog, toSql } = await describe(table)
  for (const column of columns) {
    const { kind } = catalog.column(column)
    if (NUMBERS.includes(catalog.stored(column) ?? kind) || NUMBERS.includes(kind)) continue
    throw new MisuseError('store_sum', `The column \`${column}\` of the table \`${table.name}\` does not hold numbers.`)
  }
  // Names that no library changes.
  const sums = columns.map((column, index): [string, Sql] => [`sum${index}`, textOfSum(column, table.dialect)])
  const row = await reading(table.isTransaction, () => table.compute(toSql(where), Object.fromEntries(sums)))
  return Object.fromEntries(columns.map((column, index) => [column, digitsOf(row[`sum${index}`])]))
}

const TEXT = { postgres: 'text', mysql: 'char', sqlite: 'text' } as const

function textOfSum(column: string, dialect: keyof typeof TEXT): Sql {
  return [...sql`cast(coalesce(sum(${{ column }}), 0) as `, `${TEXT[dialect]})`]
}

/**
 * Returns the digits of a sum: a driver may return the text as bytes, SQLite writes 3 as `3.0`, and MySQL nothing as
 * `0.00`.
 */
function digitsOf(sum: unknown): string {
  const text = sum instanceof Uint8Array ? Buffer.from(sum).toString() : String(sum)
  return Number(text) === 0 ? '0' : text.replace(/\.0$/, '')
}
