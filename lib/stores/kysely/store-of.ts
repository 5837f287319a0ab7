import { invalidCursor, type Position } from '../../paging/cursor.js'
import { fromKysely } from '../../sources/kysely.js'
import type { Store } from '../../store.js'
import type { PageSource } from '../../types.js'
import { checkWhere, type AnyWhere } from '../check-where.js'
import type { Catalog } from '../sql/catalog.js'
import { fitsCursor } from '../sql/comparable.js'
import type { Dialect } from '../sql/kinds.js'
import { accessTo, type Access, type Described, type Row } from './access.js'
import { reading, transacting, writing } from './calls.js'
import { createRow } from './create-row.js'
import { describing, type Describe } from './describe.js'
import { findRows, rowsOf } from './find-rows.js'
import type { Database, Table } from './table.js'

/** Makes the store of one table, on a database or on a transaction of it. */
export function storeOf(db: Database, table: Table, describe: Describe = describing(table)): Store<Row, Database> {
  const access = accessTo(db, table, describe)
  return {
    key: table.key,
    db,
    list: ({ where, order }) => listRows(access, where, order),
    find: (keys, where) => findRows(access, keys, where),
    create: (fields) => createRow(access, fields),
    update: (key, changes) => updateRow(access, key, changes),
    delete: (keys) => deleteRows(access, keys),
    transaction: async (work) => {
      if (db.isTransaction) return work(storeOf(db, table, describe))
      return transacting((worked) => db.transaction().execute(async (transaction) => {
        const result = await work(storeOf(transaction, table, describe))
        worked()
        return result
      }))
    },
    on: (other) => storeOf(other, table, describe),
  }
}

type Slice = Awaited<ReturnType<NonNullable<PageSource<Row>['sliceAfter']>>>

function listRows({ db, describe, dialect }: Access, where: AnyWhere, order: readonly string[]): PageSource<Row> {
  checkWhere(where)
  const ask = async <T>(question: (source: Required<PageSource<Row>>, described: Described) => T | Promise<T>): Promise<T> => {
    const described = await describe()
    for (const spelling of order) described.catalog.checkExists(fieldOf(spelling))
    const source = fromKysely<Row>(described.select(where), { by: order }) as Required<PageSource<Row>>
    return reading(db.isTransaction, async () => question(source, described))
  }
  return {
    slice: (offset, limit) => ask(async (source, { asRow }) => (await source.slice(offset, limit)).map(asRow)),
    count: () => ask((source) => source.count()),
    sliceAfter: (position, limit) => ask(async (source, { asRow, catalog }): Promise<Slice> => {
      if (position !== null) checkCursor(position, order, catalog, dialect)
      const { items, next } = await source.sliceAfter(position, limit)
      return { items: items.map(asRow), next }
    }),
  }
}

/** @throws ValidationError naming `cursor` for a value that is none of its column's. */
function checkCursor([, ...values]: Position, order: readonly string[], catalog: Catalog, dialect: Dialect): void {
  const fits = order.every((spelling, index) => fitsCursor(values[index], catalog.column(fieldOf(spelling)), dialect))
  if (!fits || values.length !== order.length) throw invalidCursor()
}

function fieldOf(spelling: string): string {
  return spelling.replace(/^-/, '')
}

async function updateRow(access: Access, id: unknown, changes: Row): Promise<Row | undefined> {
  const { db, table, key } = access
  const byKey: AnyWhere = [[key, 'in', [id]]]
  checkWhere(byKey)
  const described = await access.describe()
  const matching = described.matching(byKey)
  const { [key]: _fixed, ...rest } = described.written(changes)
  if (Object.keys(rest).length > 0) {
    await writing(described, rest, () => db.updateTable(table).set(rest).where(matching).executeTakeFirst())
  }
  const [row] = await rowsOf(access, described, [id], matching)
  return row
}

async function deleteRows({ db, table, key, describe }: Access, keys: readonly unknown[]): Promise<number> {
  const byKey: AnyWhere = [[key, 'in', keys]]
  checkWhere(byKey)
  if (keys.length === 0) return 0
  const described = await describe()
  const { numDeletedRows } = await writing(described, {}, () => db.deleteFrom(table).where(described.matching(byKey)).executeTakeFirst())
  return Number(numDeletedRows)
}
