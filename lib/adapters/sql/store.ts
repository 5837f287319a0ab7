import { MisuseError } from '../../core/index.js'
import { checkWhere, withSingleWrites, withTable, type AnyWhere, type Store } from '../../crud/contract/index.js'
import { batchesOf, divideKeys, withNulls } from './batches.js'
import { reading, transacting, writing } from './calls.js'
import { asDriverError } from './driver-errors.js'
import { foreignKeysOf } from './foreign-keys.js'
import { isWritten, whereInserted, withKey } from './inserted-row.js'
import { keyTexts } from './key-texts.js'
import { pagesOf } from './pages.js'
import { singleWritesOn } from './single.js'
import { sql, type Sql } from './statement.js'
import { sumOf } from './sum.js'
import { describing, type Describe, type Opened } from './describe.js'
import type { Row, RowLock, SqlTable } from './table.js'

/**
 * Makes a store of a table on PostgreSQL, MySQL, MariaDB or SQLite, for any database library.
 *
 * The library implements {@link SqlTable}; conditions, pages, cursors, types, errors and repetition are the same for
 * all libraries.
 */
export function sqlStore<Db>(table: SqlTable<Db>, describe: Describe = describing()): Store<Row, Db> {
  const store: Store<Row, Db> = {
    key: table.key,
    db: table.db,
    list: ({ where, order }) => pagesOf(table, describe, where, order),
    find: async (keys, where = [], options) => {
      const whereOf = (batch: readonly unknown[]): AnyWhere => [[table.key, 'in', batch], ...where]
      checkWhere(whereOf(keys))
      if (keys.length === 0) return []
      const opened = await open(table, describe)
      const rows: Row[] = []
      for (const batch of divideKeys(keys)) {
        for (const row of await rowsOf(opened, batch, opened.toSql(whereOf(batch)), options?.lock)) rows.push(row)
      }
      return rows
    },
    sum: (columns, where) => sumOf(table, describe, columns, where),
    create: (fields) => createRow(table, describe, fields),
    ...(table.insertMany && { createMany: (rows) => createRows(table, describe, rows) }),
    update: (key, changes) => updateRow(table, describe, key, changes),
    delete: (keys) => deleteRows(table, describe, keys),
    deleteWhere: (where) => deleteMatching(table, describe, where),
    transaction: async (work, options) => {
      if (table.isTransaction) return work(sqlStore(table, describe))
      return transacting((beforeCommit) =>
        table.transaction(async (transaction) => {
          const inside = table.on(transaction)
          const result = await work(sqlStore(inside, describe))
          if (options?.verify === true && table.dialect === 'postgres') await checkUsable(inside)
          beforeCommit()
          return result
        }, options?.seconds), { names: async () => (await describe(table)).catalog })
    },
    on: (db) => sqlStore(table.on(db), describe),
  }
  if (table.isTransaction) return store
  const { identity: connection, place } = table
  withTable(store, { connection, place, foreignKeys: () => foreignKeysOf(table, describe) })
  return withSingleWrites(store, singleWritesOn(table, describe))
}

async function open<Db>(table: SqlTable<Db>, describe: Describe): Promise<Opened<Db>> {
  return { ...await describe(table), table }
}

/** @throws Error where PostgreSQL has given the transaction up, since a statement inside has failed. */
async function checkUsable<Db>({ select }: SqlTable<Db>): Promise<void> {
  try {
    await select({ where: sql`false`, limit: 1 })
  } catch (cause) {
    if (asDriverError(cause).code !== '25P02') throw cause
    throw new Error(
      'A statement inside the transaction has failed, and its error was caught: PostgreSQL then undoes the whole '
        + 'transaction. Let the error pass, or run such a statement after a savepoint.',
      { cause },
    )
  }
}

/** Finds the rows with these keys that match, in the order of the keys; inside a transaction they are locked. */
async function rowsOf<Db>(opened: Opened<Db>, keys: readonly unknown[], where: Sql, lock?: RowLock): Promise<Row[]> {
  const { table, table: { key } } = opened
  const rows = await lockedRows(opened, where, lock)
  const textOf = keyTexts(opened.catalog.column(key))
  const byKey = new Map(rows.map((row) => [textOf(row[key]), row]))
  checkUnique(table, rows.length, byKey.size)
  return [...new Set(keys.map(textOf))].map((each) => byKey.get(each)).filter((row) => row !== undefined)
}

async function lockedRows<Db>({ table, codec }: Opened<Db>, where: Sql, lock: RowLock = 'update'): Promise<Row[]> {
  const { key, dialect, isTransaction, select } = table
  // Always in one order: two that lock the same rows then wait for each other in turn, and not for ever.
  const locked = isTransaction && dialect !== 'sqlite' ? { order: [{ by: sql`${{ column: key }}` }], lock } : {}
  return (await reading(isTransaction, () => select({ where, ...locked }))).map(codec.read)
}

/** Returns rows as they are stored once triggers have run: what a statement returns lacks the changes of later ones. */
async function asStored<Db>(opened: Opened<Db>, rows: readonly Row[],
  changed: readonly string[]): Promise<readonly Row[]>
{
  const { table: { key }, catalog, toSql } = opened
  if (!catalog.changesLater(changed)) return rows
  const keys = rows.map((row) => row[key])
  const found = await rowsOf(opened, keys, toSql([[key, 'in', keys]]))
  const textOf = keyTexts(catalog.column(key))
  const byKey = new Map(found.map((row) => [textOf(row[key]), row]))
  return rows.map((row) => byKey.get(textOf(row[key])) ?? row)
}

/** Adds a row; MySQL does not return it, and reports the generated key with the result. */
async function createRow<Db>(table: SqlTable<Db>, describe: Describe, fields: Row): Promise<Row> {
  const opened = await open(table, describe)
  const { codec } = opened
  const row = opened.checked(fields)
  const inserted = await writing(row, opened.catalog, () => table.insert(codec.stored(row)))
  if ('row' in inserted) {
    const created = codec.read(inserted.row)
    return (await asStored(opened, [created], []))[0] ?? created
  }
  const key = row[table.key] ?? inserted.key
  const byKey = withKey(await lockedRows(opened, whereInserted(opened, row, key)), key, opened)
  // Links have one of their two columns as the key of their store.
  const same = byKey.length > 1 ? byKey.filter((each) => isWritten(each, row)) : byKey
  checkUnique(table, same.length, 1)
  const [found] = same
  if (found === undefined) {
    throw new Error(`A row was added to "${table.name}", and cannot be found by its key "${table.key}".`)
  }
  return found
}

/**
 * Adds rows in their order, by one statement for neighbours that have the same columns, up to a limit; on MySQL one by
 * one.
 */
async function createRows<Db>(table: SqlTable<Db>, describe: Describe, all: readonly Row[]): Promise<Row[]> {
  const opened = await open(table, describe)
  const checked = all.map(opened.checked)
  const rows = table.hasNoDefaults === true ? withNulls(checked, opened.catalog) : checked
  const created: Row[] = []
  for (const batch of batchesOf(rows, opened.catalog.returnsRows)) {
    const [first = {}, ...others] = batch
    const isOne = others.length === 0
    const added = isOne ? [await createRow(table, describe, first)] : await insertTogether(opened, batch)
    for (const row of added) created.push(row)
  }
  return created
}

/** Adds rows with the same columns by one statement; each database returns them in the order of its values. */
async function insertTogether<Db>(opened: Opened<Db>, rows: readonly Row[]): Promise<readonly Row[]> {
  const { table, codec, catalog } = opened
  const stored = rows.map(codec.stored)
  const inserted = await writing(rows[0] ?? {}, catalog, async () => await table.insertMany?.(stored) ?? [])
  if (inserted.length === rows.length) return asStored(opened, inserted.map(codec.read), [])
  throw new Error(`${rows.length} rows were added to "${table.name}", and ${inserted.length} were returned.`)
}

async function updateRow<Db>(
  table: SqlTable<Db>,
  describe: Describe,
  id: unknown,
  changes: Row,
): Promise<Row | undefined> {
  const byKey: AnyWhere = [[table.key, 'in', [id]]]
  checkWhere(byKey)
  const opened = await open(table, describe)
  const { codec } = opened
  const where = opened.toSql(byKey)
  const { [table.key]: _fixed, ...rest } = opened.checked(changes)
  if (Object.keys(rest).length > 0) {
    const stored = codec.stored(rest)
    const returned = await writing(rest, opened.catalog, async () => {
      if (table.updateReturning !== undefined) return table.updateReturning(stored, where)
      await table.update(stored, where)
      return undefined
    })
    if (returned !== undefined) {
      checkUnique(table, returned.length, 1)
      return (await asStored(opened, returned.map(codec.read), Object.keys(rest)))[0]
    }
  }
  const [row] = await rowsOf(opened, [id], where)
  return row
}

async function deleteRows<Db>(table: SqlTable<Db>, describe: Describe, keys: readonly unknown[]): Promise<number> {
  checkWhere([[table.key, 'in', keys]])
  if (keys.length === 0) return 0
  let deleted = 0
  // Outside of a transaction only one statement is all or nothing.
  for (const batch of table.isTransaction ? divideKeys(keys) : [keys]) {
    deleted += await deleteMatching(table, describe, [[table.key, 'in', batch]])
  }
  checkUnique(table, deleted, new Set(keys).size)
  return deleted
}

async function deleteMatching<Db>(table: SqlTable<Db>, describe: Describe, where: AnyWhere): Promise<number> {
  checkWhere(where)
  const { catalog, toSql } = await describe(table)
  return writing({}, catalog, () => table.delete(toSql(where)))
}

/**
 * Checks that no two rows have one key: a statement about the row that was found would write the other one too, which
 * may belong to another tenant. Inside a transaction the error undoes what was written.
 *
 * @throws MisuseError `store_key`
 */
function checkUnique<Db>({ name, key }: SqlTable<Db>, rows: number, keys: number): void {
  if (rows <= keys) return
  throw new MisuseError(
    'store_key',
    `Several rows of the table \`${name}\` have the same \`${key}\`: the key of a store must be unique in the whole `
      + 'table, and not only together with another column.',
  )
}
