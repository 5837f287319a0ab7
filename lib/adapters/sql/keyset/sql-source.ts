import type { Library, PageSource } from '../../../core/index.js'
import type { Sql } from '../statement.js'
import { readAfter, type Read } from './after.js'
import { askingForText, readKeyed, type MysqlQuery } from './mysql.js'
import { bareName, type Order } from './order.js'
import { countingSource, sliceAfter, takeTexts, textsOf, type ReadAfter } from './slice-after.js'

type Row = Record<string, unknown>

/** A query of a library that writes SQL, without the order and the limits of a page. */
interface SqlQuery {
  readonly slice: (offset: number, limit: number) => Promise<Row[]>
  readonly count: () => Promise<number>
  /** Describes the query on MySQL and MariaDB. */
  readonly mysql: () => MysqlQuery | undefined
  /** Selects expressions besides the columns of the query. */
  readonly read: (columns: Readonly<Record<string, Sql>>) => Read<Row>
  /** Finds a key in a row. @default by the name of its column */
  readonly keyIn?: (row: Row, column: string) => unknown
}

/** Makes a source of a query; a cursor holds the texts of the keys as the database writes them. */
export function sqlSource(
  library: Library,
  order: Order,
  { slice, count, mysql, read, keyIn = (row, column) => row[bareName(column)] }: SqlQuery,
): PageSource<Row> {
  const { keys } = order
  return {
    ...countingSource(slice, count),
    sliceAfter: (position, limit) => {
      const described = mysql()
      const isMysql = described !== undefined
      const readRows: ReadAfter<Row> = (given, most) => {
        const values = given === null ? null : textsOf(given, isMysql)
        return readKeyed(described, { keys, values, limit: most }, async (columns) => {
          const rows = await readAfter({ keys, values, limit: most, isMysql }, read(columns))
          return rows.map((row) => takeTexts(row, keys.map(({ column }) => keyIn(row, column))))
        })
      }
      return sliceAfter(library, order, readRows, askingForText(described, keys))(position, limit)
    },
  }
}
