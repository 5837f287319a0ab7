import { checkWhere, type AcceptedColumns, type AnyWhere, type Ensured,
  type SingleWrites } from '../../crud/contract/index.js'
import { reading, undoable } from './calls.js'
import { columnsOf, guardColumns, isMet, readableTypesOf, type Guards, type ReadableTypes,
  type ValuesOf } from './certain.js'
import { joinPieces, sql, type Sql } from './statement.js'
import type { Describe, Described } from './describe.js'
import { Computed, type Row, type SingleStatement, type SqlTable } from './table.js'

/*
 * Writes of one row by one statement of PostgreSQL, where the output and the scope certainly accept the row as it will
 * be stored. A table that may change more of the row than the statement does is written in transactions alone, and so
 * is a row whose values are refused: only a transaction tells whether the row, its version or the values come first.
 */

/** Makes the single writes of a table, `undefined` where there are none: on another database, or in a transaction. */
export function singleWritesOn<Db>(table: SqlTable<Db>, describe: Describe): SingleWrites | undefined {
  const { single, dialect, isTransaction } = table
  if (single === undefined || dialect !== 'postgres' || isTransaction) return undefined
  const guardsOf = guarding(table)
  const write = async (
    { catalog, codec }: Described,
    row: Row,
    { seconds, checkTime }: Ensured,
    run: (statement: SingleStatement, wait: Sql) => Promise<readonly Row[]>,
  ): Promise<Row | undefined> => {
    const [written] = await undoable(row, catalog, (sent) =>
      single((statement) => {
        if (checkTime() < seconds / 2) return Promise.resolve([])
        sent()
        return run(statement, waitAtMost(seconds / 4))
      })) ?? []
    return written && codec.read(written)
  }
  return {
    async create(fields, ensured) {
      const described = await describe(table)
      const { catalog, codec } = described
      const row = described.checked(fields)
      const isWritable = Object.keys(row).length > 0 && checkConditions(described, ensured.where) !== undefined
      if (!isWritable || catalog.changesOthers([])) return undefined
      const valuesOf: ValuesOf = (column) => (column in row ? [row[column]] : catalog.valuesOfNew(column))
      const guards = await guardsOf(described, ensured)
      const isAccepted = guards !== undefined
        && [...guards].every(([column, { accepts }]) => valuesOf(column)?.every(accepts))
      if (!isAccepted || !ensured.where.every((condition) => isMet(condition, catalog, valuesOf))) return undefined
      return write(described, row, ensured, (statement, wait) => statement.insert(codec.stored(row), wait))
    },
    async update({ key, where, changes, increments }, ensured) {
      const described = await describe(table)
      const { catalog, codec } = described
      const row = checkChanges(described, changes, table.key)
      const matching = checkConditions(described, [[table.key, 'in', [key]], ...where])
      if (row === undefined || matching === undefined || !increments.every((column) => catalog.has(column))) {
        return undefined
      }
      const written = new Set([...Object.keys(row), ...increments])
      const isOneRow = catalog.isUnique(table.key)
      if (!isOneRow || written.size === 0 || catalog.changesOthers([...written])) return undefined
      const valuesOf: ValuesOf = (column) => (column in row ? [row[column]] : undefined)
      const guards = await guardsOf(described, ensured)
      const isAccepted = guards !== undefined
        && [...guards].every(([column, { accepts }]) => !written.has(column) || valuesOf(column)?.every(accepts))
      // Before the write `where` tests the scope, and what the statement does not write stays as it is.
      const isInScope = ensured.where.every((condition) =>
        !columnsOf(condition).some((column) => written.has(column)) || isMet(condition, catalog, valuesOf)
      )
      if (!isAccepted || !isInScope) return undefined
      const others = [...guards].flatMap(([column, { conditions }]) => (written.has(column) ? [] : conditions))
      const set = { ...codec.stored(row), ...increase(increments) }
      return write(described, row, ensured, (statement, wait) =>
        statement.update(
          set,
          joinPieces([matching, ...exactKey(described, table.key, key), ...others, [...wait, ' is not null']], ' and '),
        ))
    },
  }
}

/** Returns a function that finds the guards of accepted columns, `undefined` where nothing is certain. */
function guarding<Db>(
  table: SqlTable<Db>,
): (described: Described, ensured: Ensured) => Promise<Guards | undefined> {
  const guardsByColumns = new WeakMap<AcceptedColumns, Guards>()
  let readableTypes: Promise<ReadableTypes> | undefined
  return async ({ catalog }, { columns }) => {
    const cached = guardsByColumns.get(columns)
    if (cached !== undefined) return cached
    readableTypes ??= reading(false, () => readableTypesOf(table))
    try {
      const guards = guardColumns(catalog, columns, await readableTypes)
      // A table that is yet to be created is looked at again.
      if (guards !== undefined && !catalog.isEmpty) guardsByColumns.set(columns, guards)
      return guards
    } catch {
      // A transaction reports what is wrong.
      readableTypes = undefined
      return undefined
    }
  }
}

/** Returns the columns of a change, `undefined` for values that a transaction refuses. */
function checkChanges({ checked }: Described, changes: Row, key: string): Row | undefined {
  try {
    const { [key]: _fixed, ...row } = checked(changes)
    return row
  } catch {
    return undefined
  }
}

/** Returns conditions as SQL, `undefined` for ones that a transaction refuses. */
function checkConditions({ toSql }: Described, where: AnyWhere): Sql | undefined {
  try {
    checkWhere(where)
    return toSql(where)
  } catch {
    return undefined
  }
}

/**
 * Requires the text of a key that PostgreSQL returns in another form than it finds it by: of `char(6)` it finds `abc`
 * by `abc`, and returns it with spaces.
 */
function exactKey({ catalog }: Described, column: string, key: unknown): readonly Sql[] {
  if (catalog.column(column).isExact === true) return []
  return [sql`concat(${{ column }}) collate "C" = ${{ value: String(key) }}`]
}

function increase(columns: readonly string[]): Readonly<Record<string, Computed>> {
  return Object.fromEntries(columns.map((column) => [column, new Computed(sql`coalesce(${{ column }}, 0) + 1`)]))
}

const LONGEST_WAIT = 2 ** 31 - 1

/** Returns an expression that limits the time for which its statement waits for a lock, unless a limit is set. */
function waitAtMost(seconds: number): Sql {
  const milliseconds = Math.min(Math.max(1, Math.round(seconds * 1000)), LONGEST_WAIT)
  const limit = `coalesce(nullif(current_setting('lock_timeout'), '0'), '${milliseconds}')`
  return [`set_config('lock_timeout', ${limit}, true)`]
}
