import { invalidCursor, toCount, type PageSource, type Position } from '../../core/index.js'
import { readAfter } from './keyset/after.js'
import type { Key, Order } from './keyset/order.js'
import { countingSource, textColumn } from './keyset/slice-after.js'
import { isUnreadable } from './keyset/unreadable.js'
import { checkWhere, type AnyWhere } from '../../crud/contract/index.js'
import { reading } from './calls.js'
import type { Catalog } from './catalog.js'
import { fitsCursor } from './comparable.js'
import type { Dialect } from './kinds.js'
import { allOf, sql, type Sql } from './statement.js'
import type { Describe, Described } from './describe.js'
import type { Row, SqlTable, Term } from './table.js'

/** The column of the number of all rows, in a page that is read together with it. */
const TOTAL = 'totalrows'

/** Makes a source of the rows that match, in an order. Nothing is read before a page is asked for. */
export function pagesOf<Db>(
  table: SqlTable<Db>,
  describe: Describe,
  where: AnyWhere,
  order: readonly string[],
): PageSource<Row> {
  checkWhere(where)
  const { dialect } = table
  const ask = async <T>(question: (described: Described) => Promise<T>): Promise<T> => {
    const described = await describe(table)
    return reading(table.isTransaction, () => question(described))
  }
  const select = ({ catalog, toSql }: Described, offset: number, limit: number, more = {}): Promise<readonly Row[]> =>
    table.select({
      where: toSql(where),
      order: orderOf(orderIn(table, catalog, order).keys, dialect),
      offset,
      limit,
      ...more,
    })
  const slice = (offset: number, limit: number): Promise<Row[]> =>
    ask(async (described) => (await select(described, offset, limit)).map(described.codec.read))
  const count = (): Promise<number> => ask(async ({ toSql }) => toCount(await table.count(toSql(where))))
  // A cursor holds the values of the order in the last row as the database writes them: a Date has no microseconds, a
  // number no 64 bits.
  const sliceAfter: PageSource<Row>['sliceAfter'] = (position, limit) =>
    ask(async (described) => {
      const { catalog, toSql } = described
      const sorted = orderIn(table, catalog, order)
      const { keys, spelling } = sorted
      const values = position === null ? null : valuesOf(position, sorted, catalog, dialect)
      const texts = keys.map(({ column }, index) => [textColumn(index), textOf(column, catalog, dialect)] as const)
      const extras = Object.fromEntries(texts)
      const read = (after: Sql | undefined, inOrder: readonly Key[], most: number): Promise<readonly Row[]> => {
        const all = after === undefined ? toSql(where) : allOf([toSql(where), after])
        return table.select({ where: all, order: orderOf(inOrder, dialect), limit: most, extras })
      }
      const rows = await readAfter({ keys, values, limit: limit + 1, isMysql: dialect === 'mysql' }, read).catch(
        (error: unknown) => {
          throw position !== null && isUnreadable(error) ? invalidCursor() : error
        },
      )
      const items = rows.slice(0, limit).map((row) => withoutTexts(row, keys, described))
      const last = rows.length > limit ? rows[limit - 1] : undefined
      if (last === undefined) return { items, next: null }
      return { items, next: [spelling, ...keys.map(({ column }, index) => textIn(last, column, index))] }
    })
  return {
    ...countingSource(slice, count),
    ...(table.selectsTotals === true && {
      sliceAndCount: async (offset, limit) => {
        const described = await describe(table)
        const rows = await reading(table.isTransaction, () => select(described, offset, limit, { total: TOTAL }))
        const [first] = rows
        if (first === undefined) return { items: [], total: offset === 0 ? 0 : await count() }
        const items = rows.map(({ [TOTAL]: _total, ...row }) => described.codec.read(row))
        return { items, total: toCount(first[TOTAL]) }
      },
    }),
    sliceAfter,
  }
}

function orderIn<Db>({ key }: SqlTable<Db>, catalog: Catalog, order: readonly string[]): Order {
  const keys = order.map((spelling) => {
    const descending = spelling.startsWith('-')
    const column = descending ? spelling.slice(1) : spelling
    catalog.checkExists(column)
    const nullable = column !== key && catalog.isNullable(column)
    return { column, descending, nullable }
  })
  return { keys, spelling: order.join() }
}

/** PostgreSQL sorts nulls above all values, MySQL and SQLite below. */
function orderOf(keys: readonly Key[], dialect: Dialect): readonly Term[] {
  return keys.flatMap(({ column, descending, nullable }): Term[] => {
    const term = { by: sql`${{ column }}`, isDescending: descending }
    if (!nullable || descending !== (dialect === 'postgres')) return [term]
    return dialect === 'postgres' ? [{ ...term, isNullsLast: true }] : [{ by: sql`${{ column }} is null` }, term]
  })
}

/** @throws ValidationError naming `cursor` for one of another order, and for a value of another type. */
function valuesOf(position: Position, { keys, spelling }: Order, catalog: Catalog, dialect: Dialect): Position {
  const [own, ...values] = position
  if (own !== spelling || values.length !== keys.length) throw invalidCursor()
  const fits = ({ column, nullable }: Key, value: unknown): boolean =>
    value === null ? nullable : fitsCursor(value, catalog.column(column), dialect)
  if (!keys.every((key, index) => fits(key, values[index]))) throw invalidCursor()
  return keys.map(({ column }, index) => {
    const value = values[index]
    return value !== null && catalog.column(column).isRanked === true ? Number(value) : value
  })
}

function textOf(column: string, catalog: Catalog, dialect: Dialect): Sql {
  const { isFloat = false, isRanked = false } = catalog.column(column)
  if (dialect === 'postgres') return sql`concat(${{ column }})`
  // A float is written with fewer digits than it has, and would be after itself.
  if (isRanked) return sql`concat(${{ column }} + 0)`
  if (dialect === 'mysql') return isFloat ? sql`concat(${{ column }} + 0e0)` : sql`concat(${{ column }})`
  return sql`case typeof(${{ column }}) when 'real' then printf('%!.17g', ${{ column }}) else cast(${{
    column,
  }} as text) end`
}

function textIn(row: Row, column: string, index: number): unknown {
  return row[column] === null || row[column] === undefined ? null : row[textColumn(index)]
}

function withoutTexts(row: Row, keys: readonly Key[], { codec }: Described): Row {
  const rest = { ...row }
  keys.forEach((_key, index) => delete rest[textColumn(index)])
  return codec.read(rest)
}
