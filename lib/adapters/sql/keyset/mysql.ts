import { sql, type Sql } from '../statement.js'
import type { Key } from './order.js'
import { rankColumn, textColumn, type IsNotText, type KeyedRow } from './slice-after.js'

/*
 * MySQL and MariaDB sort an ENUM and a SET by number and compare them as strings, and write a FLOAT with fewer digits
 * than it has. A query does not tell the types of its columns, so that its rows have to show them.
 */

/** A query of a source on MySQL or MariaDB. */
export interface MysqlQuery {
  /** Its SQL. */
  readonly text: () => string
  /** Finds the name of a key in its table. */
  readonly nameOf: (column: string) => string
  /** Computes an expression for a row of the query. */
  readonly compute: (expression: Sql) => Promise<unknown>
}

/** A page to read: the keys of its order, and the values of the row before it. */
interface Asked {
  readonly keys: readonly Key[]
  readonly values: readonly unknown[] | null
  readonly limit: number
}

/**
 * Reads a page with the texts of its keys; on MySQL again if a key may be a FLOAT, and with the number of each label of
 * an ENUM or a SET.
 *
 * @param read reads the rows with these columns besides those of the query
 */
export async function readKeyed<Row>(
  mysql: MysqlQuery | undefined,
  asked: Asked,
  read: (columns: Readonly<Record<string, Sql>>) => Promise<readonly KeyedRow<Row>[]>,
): Promise<readonly KeyedRow<Row>[]> {
  const { keys } = asked
  const texts = keys.map(({ column }, index): [string, Sql] => [textColumn(index), sql`concat(${{ column }})`])
  if (mysql === undefined) return read(Object.fromEntries(texts))
  const ranks = keys.map(({ column }, index): [string, Sql] => [rankColumn(index), rankOf(column)])
  const rows = await read(Object.fromEntries([...texts, ...ranks]))
  const floats = keys.flatMap(({ column }, index): [string, Sql][] =>
    mayBeFloat(rows, index) ? [[textColumn(index), textOfFloat(column)]] : []
  )
  const found = floats.length === 0 ? rows : await read(Object.fromEntries([...texts, ...ranks, ...floats]))
  return withRanks(mysql, asked, found)
}

/** True for numbers that are all written with at most six digits, some of which may be rounded. */
function mayBeFloat(rows: readonly KeyedRow<unknown>[], index: number): boolean {
  const numbers = rows.map(({ values, read = values }) => read[index]).filter((value) => typeof value === 'number')
  const digits = (value: number): number => String(value).replace(/e.*|[-.]/g, '').replace(/^0+|0+$/g, '').length
  return numbers.every((value) => digits(value) <= 6)
    && numbers.some((value) => !Number.isInteger(value) || Math.abs(value) >= 1e6)
}

/** A number whose text is another number is a FLOAT. */
function textOfFloat(name: string): Sql {
  const column = { column: name }
  const text = sql`concat(${column})`
  return sql`case when ${column} + 0e0 <> ${text} + 0e0 then concat(${column} + 0e0) else ${text} end`
}

/**
 * The number of a label, null for any other string: its number is the one that its text begins with. MariaDB refuses
 * operators and most functions of numbers on a UUID, but not `format`, which returns 0.
 */
function rankOf(name: string): Sql {
  const column = { column: name }
  const number = sql`format(${column}, 0)`
  const isLabel = sql`collation(${column}) <> 'binary' and ${number} not in ('0', format(concat(${column}), 0))`
  return sql`case when ${isLabel} then replace(${number}, ',', '') end`
}

/**
 * Replaces the texts of labels by their numbers in all rows of a page, if one row shows that a key is an ENUM or a SET.
 *
 * A label that is its own number shows nothing: the columns of the tables that the query names decide then.
 */
async function withRanks<Row>(
  mysql: MysqlQuery,
  { keys, values, limit }: Asked,
  rows: readonly KeyedRow<Row>[],
): Promise<readonly KeyedRow<Row>[]> {
  const isRanked = await Promise.all(keys.map(async ({ column }, index) => {
    if (rows.some((row) => typeof row.values[index] === 'number')) return true
    const last = rows.length === limit ? rows.slice(-2, -1) : []
    const doubtful = typeof values?.[index] === 'number' ? rows : last
    return doubtful.some((row) => isOwnNumber(row, index)) && isInCatalog(mysql, mysql.nameOf(column))
  }))
  if (!isRanked.includes(true)) return rows
  return rows.map((row) => ({
    ...row,
    values: row.values.map((value, index) =>
      isRanked[index] === true && typeof value === 'string' ? Number(value) : value
    ),
  }))
}

function isOwnNumber({ values, read = values }: KeyedRow<unknown>, index: number): boolean {
  return typeof read[index] === 'string' && /^(?:[1-9]\d{0,4})?$/.test(String(values[index]))
}

async function isInCatalog({ text, compute }: MysqlQuery, name: string): Promise<boolean> {
  return Number(
    await compute(sql`(select count(*) from information_schema.columns where table_schema = database()
      and column_name = ${{ value: name }} and data_type in ('enum', 'set')
      and locate(concat('\`', table_name, '\`'), ${{ value: text() }}) > 0)`),
  ) > 0
}

/** Makes a function that asks MySQL whether a key is no string. */
export function askingForText(mysql: MysqlQuery | undefined, keys: readonly Key[]): IsNotText | undefined {
  return mysql && (async (index) => {
    const { column = '' } = keys[index] ?? {}
    return await mysql.compute(sql`collation(${{ column }})`) === 'binary'
  })
}
