import { fromKysely } from '../../sources/kysely.js'
import type { Store } from '../../store.js'
import type { PageSource } from '../../types.js'
import { checkTexts } from '../check-text.js'
import { checkWhere, type AnyWhere } from '../check-where.js'
import { accessTo, type Access, type Row, type Table } from './access.js'
import { reading, transacting, writing } from './calls.js'
import { readRow } from './columns.js'
import { createRow } from './create-row.js'
import { findRows } from './find-rows.js'
import type { Database } from './table.js'

/** The store of one table, on a database or on a transaction of it. */
export function storeOf(db: Database, table: Table): Store<Row, Database> {
  const access = accessTo(db, table)
  return {
    key: table.key,
    db,
    list: ({ where, order }) => listRows(access, where, order),
    find: (keys, where) => findRows(access, keys, where),
    create: (fields) => createRow(access, fields),
    update: (key, changes) => updateRow(access, key, changes),
    delete: (keys) => deleteRows(access, keys),
    transaction: async (work) => {
      if (db.isTransaction) return work(storeOf(db, table))
      return transacting((worked) => db.transaction().execute(async (transaction) => {
        const result = await work(storeOf(transaction, table))
        worked()
        return result
      }))
    },
  }
}

function listRows({ db, columns, select }: Access, where: AnyWhere, order: readonly string[]): PageSource<Row> {
  checkWhere(where)
  const source = fromKysely<Row>(select(where), { by: order })
  const read = <T>(work: () => T | Promise<T>): Promise<T> => reading(db.isTransaction, async () => work())
  const asRow = (row: Row): Row => readRow(row, columns)
  return {
    slice: async (offset, limit) => (await read(() => source.slice(offset, limit))).map(asRow),
    count: () => read(() => source.count?.() ?? 0),
    sliceAfter: async (position, limit) => {
      const { items, next } = await read(() => source.sliceAfter?.(position, limit) ?? { items: [], next: null })
      return { items: items.map(asRow), next }
    },
  }
}

async function updateRow(access: Access, id: unknown, changes: Row): Promise<Row | undefined> {
  checkTexts(changes)
  const { db, table, key, matching, written } = access
  const { [key]: _fixed, ...rest } = written(changes)
  if (Object.keys(rest).length > 0) {
    await writing(changes, () => db.updateTable(table).set(rest).where(matching([[key, '=', id]])).executeTakeFirst())
  }
  const [row] = await findRows(access, [id])
  return row
}

async function deleteRows({ db, table, key, matching }: Access, keys: readonly unknown[]): Promise<number> {
  checkWhere([[key, 'in', keys]])
  if (keys.length === 0) return 0
  const { numDeletedRows } = await writing({}, () => db.deleteFrom(table).where(matching([[key, 'in', keys]])).executeTakeFirst())
  return Number(numDeletedRows)
}
