import type { Store } from '../../store.js'
import { checkWhere, type AnyWhere } from '../checks.js'
import { reading, transacting, writing } from './calls.js'
import { pagesOf } from './pages.js'
import { sql, type Sql } from './statement.js'
import { described, describing, type Describe, type Described, type Row, type SqlTable } from './table.js'

/**
 * Makes a store of a table on PostgreSQL, MySQL, MariaDB or SQLite, for any database library.
 *
 * The library implements {@link SqlTable}; conditions, pages, cursors, types, errors and repetition are the same for
 * all libraries.
 */
export function sqlStore<Db>(table: SqlTable<Db>, describe: Describe = describing()): Store<Row, Db> {
  return {
    key: table.key,
    db: table.db,
    list: ({ where, order }) => pagesOf(table, describe, where, order),
    find: (keys, where) => findRows(table, describe, keys, where),
    create: (fields) => createRow(table, describe, fields),
    ...(table.insertMany && { createMany: (rows) => createRows(table, describe, rows) }),
    update: (key, changes) => updateRow(table, describe, key, changes),
    delete: (keys) => deleteRows(table, describe, keys),
    transaction: async (work) => {
      if (table.isTransaction) return work(sqlStore(table, describe))
      return transacting((worked) => table.transaction(async (transaction) => {
        const result = await work(sqlStore(table.on(transaction), describe))
        worked()
        return result
      }))
    },
    on: (db) => sqlStore(table.on(db), describe),
  }
}

/** Finds the rows with these keys that match, in the order of the keys; inside a transaction they are locked. */
async function findRows<Db>(
  table: SqlTable<Db>,
  describe: Describe,
  keys: readonly unknown[],
  where: AnyWhere = [],
): Promise<Row[]> {
  const all: AnyWhere = [[table.key, 'in', keys], ...where]
  checkWhere(all)
  if (keys.length === 0) return []
  const known = await described(table, describe)
  return rowsOf(table, known, keys, known.toSql(all))
}

async function rowsOf<Db>(
  table: SqlTable<Db>,
  { codec }: Described,
  keys: readonly unknown[],
  where: Sql,
): Promise<Row[]> {
  const { key, dialect, isTransaction } = table
  // Always in one order: two that lock the same rows then wait for each other in turn, and not for ever.
  const lock = isTransaction && dialect !== 'sqlite' ? { order: [{ by: sql`${{ column: key }}` }], isLocked: true } : {}
  const rows = (await reading(isTransaction, () => table.select({ where, ...lock }))).map(codec.read)
  // As text: a driver may return a number as one.
  const byKey = new Map(rows.map((row) => [String(row[key]), row]))
  return [...new Set(keys.map(String))].map((each) => byKey.get(each)).filter((row) => row !== undefined)
}

/** Adds a row; MySQL does not return it, and reports the generated key with the result. */
async function createRow<Db>(table: SqlTable<Db>, describe: Describe, fields: Row): Promise<Row> {
  const known = await described(table, describe)
  const row = known.checked(fields)
  const inserted = await writing(row, known.catalog, () => table.insert(known.codec.stored(row)))
  if ('row' in inserted) return known.codec.read(inserted.row)
  const key = row[table.key] ?? inserted.key
  // The key may be a bigint of the driver's: it is compared as it is.
  const [found] = await rowsOf(table, known, [key], sql`${{ column: table.key }} in (${{ value: key }})`)
  if (found === undefined) {
    throw new Error(`A row was added to "${table.name}", and cannot be found by its key "${table.key}".`)
  }
  return found
}

/** The most values of one statement: SQLite takes 32,766, PostgreSQL twice as many. */
const MOST_VALUES = 30_000
const MOST_ROWS = 500

/** Adds rows by one statement for all that have the same columns, up to a limit. */
async function createRows<Db>(table: SqlTable<Db>, describe: Describe, all: readonly Row[]): Promise<Row[]> {
  const known = await described(table, describe)
  const byColumns = new Map<string, Row[]>()
  for (const row of all.map(known.checked)) {
    const columns = Object.keys(row).sort().join()
    const rows = byColumns.get(columns) ?? []
    rows.push(row)
    byColumns.set(columns, rows)
  }
  const created: Row[] = []
  for (const rows of byColumns.values()) {
    const [first = {}] = rows
    const most = Math.max(1, Math.min(MOST_ROWS, Math.floor(MOST_VALUES / Object.keys(first).length)))
    for (let start = 0; start < rows.length; start += most) {
      const stored = rows.slice(start, start + most).map(known.codec.stored)
      const inserted = await writing(first, known.catalog, async () => await table.insertMany?.(stored) ?? [])
      created.push(...inserted.map(known.codec.read))
    }
  }
  return created
}

async function updateRow<Db>(
  table: SqlTable<Db>,
  describe: Describe,
  id: unknown,
  changes: Row,
): Promise<Row | undefined> {
  const byKey: AnyWhere = [[table.key, 'in', [id]]]
  checkWhere(byKey)
  const known = await described(table, describe)
  const where = known.toSql(byKey)
  const { [table.key]: _fixed, ...rest } = known.checked(changes)
  if (Object.keys(rest).length > 0) {
    await writing(
      rest,
      known.catalog,
      () => table.update(known.codec.stored(rest), where),
    )
  }
  const [row] = await rowsOf(table, known, [id], where)
  return row
}

async function deleteRows<Db>(table: SqlTable<Db>, describe: Describe, keys: readonly unknown[]): Promise<number> {
  const byKey: AnyWhere = [[table.key, 'in', keys]]
  checkWhere(byKey)
  if (keys.length === 0) return 0
  const known = await described(table, describe)
  return writing({}, known.catalog, () => table.delete(known.toSql(byKey)))
}
