import { MisuseError, mapValues } from '../../core/index.js'
import type { Place } from '../../crud/contract/index.js'
import type { Dialect } from '../sql/kinds.js'
import { compileText, joinPieces, sql, type Sql } from '../sql/statement.js'
import { Computed, fieldNames, lockText, orderBy, type Row, type Selection, type SingleStatement,
  type SqlTable } from '../sql/table.js'
import { compileOnce, isBuilt, type Parts, type Statements } from './compiled.js'
import { aliasOf, expression, extra } from './expression.js'
import type { Change, Compilable, Compiled, Database, ExpressionBuilder, Insert, Result, Select,
  TransactionBuilder } from './library.js'

/**
 * Detects the database by its capabilities, since a bundler may change the names of classes.
 *
 * @throws MisuseError `kysely_dialect` for a database that is none of the three kinds.
 */
export function dialectOf(db: Database): Dialect {
  const { supportsReturning, supportsTransactionalDdl } = db.getExecutor().adapter
  if (supportsReturning) return supportsTransactionalDdl ? 'postgres' : 'sqlite'
  if (!supportsTransactionalDdl) return 'mysql'
  throw new MisuseError('kysely_dialect', 'kyselyStore works on PostgreSQL, MySQL, MariaDB and SQLite.')
}

type Table = Pick<SqlTable<Database>, 'name' | 'dialect' | 'key' | 'columns'> & { readonly statements: Statements }

/** A table on a database or on a transaction of it. */
export function tableOf(db: Database, table: Table): SqlTable<Database> {
  const { name, dialect } = table
  const executor = db.getExecutor()
  const run = async (parts: Parts, build: (parts: Parts) => Compilable): Promise<readonly Row[]> =>
    (await executor.executeQuery(compileOnce(db, table.statements, parts, build))).rows
  return {
    ...table,
    db,
    isTransaction: db.isTransaction,
    // A Kysely and its transactions share one adapter.
    identity: executor.adapter,
    place: () => placeOf(db, name),
    fields: (columns) => fieldNames(columns, (row) => asResult(db, row)),
    query: async (statement) => (await db.withoutPlugins().executeQuery(compile(statement, dialect))).rows,
    select: (selection) => run(...selectionOf(db, table, selection)),
    selectsTotals: dialect !== 'sqlite',
    compute: async (where, expressions) => {
      const names = Object.keys(expressions)
      const query = db.selectFrom(name).where((eb) => expression(eb, where))
      return (await db.executeQuery(query.select(extra(names, Object.values(expressions))))).rows[0] ?? {}
    },
    count: async (where) => (await db.executeQuery(countOf(db, name, where, 'total'))).rows[0]?.total,
    insert: async (row) => {
      if (dialect === 'mysql') return { key: (await insertOf(db, table, row).executeTakeFirstOrThrow()).insertId }
      const [inserted] = await run(...insertionOf(db, table, row))
      if (inserted === undefined) throw new Error(`The insert into "${name}" has returned no row.`)
      return { row: inserted }
    },
    // `execute` of a statement for MySQL would drop the rows that MariaDB returns.
    hasNoDefaults: true,
    insertMany: async (rows) => (await db.executeQuery(db.insertInto(name).values(rows).returningAll())).rows,
    update: (changes, where) => updateQuery(db, name, changes, where).executeTakeFirst(),
    updateReturning: dialect === 'mysql' ? undefined : (changes, where) => run(...updateOf(db, name, changes, where)),
    single: (use) =>
      executor.provideConnection((connection) => {
        // Plugins transform a result.
        const sender = executor.plugins.length === 0
          ? connection
          : executor.withConnectionProvider({ provideConnection: (run) => run(connection) })
        return use(statementOn(db, table, (statement) => sender.executeQuery(statement)))
      }),
    delete: async (where) =>
      Number((await db.deleteFrom(name).where((eb) => expression(eb, where)).executeTakeFirst()).numDeletedRows),
    transaction: (work) => transactionOn(db, dialect).execute(work),
    on: (other) => tableOf(other, table),
  }
}

function transactionOn(db: Database, dialect: Dialect): TransactionBuilder {
  return dialect === 'mysql' ? db.transaction().setIsolationLevel('read committed') : db.transaction()
}

/** Finds the schema and the table that a statement names, as the plugins have made it. */
function placeOf(db: Database, name: string): Place {
  const [node] = db.selectFrom(name).selectAll().toOperationNode().from?.froms ?? []
  return { schema: node?.table?.schema?.name, table: node?.table?.identifier.name ?? name }
}

/** Returns a row as the plugins change it. */
async function asResult(db: Database, row: Row): Promise<Row> {
  let result: Result = { rows: [row] }
  for (const plugin of db.getExecutor().plugins) {
    result = await plugin.transformResult({ queryId: { queryId: 'resourcery' }, result })
  }
  return result.rows[0] ?? {}
}

function compile(statement: Sql, dialect: Dialect): object {
  const { text, parameters } = compileText(statement, dialect)
  const query = { kind: 'RawNode', sqlFragments: [text], parameters: [] }
  return { sql: text, parameters, query, queryId: { queryId: 'resourcery' } }
}

type Statement = readonly [parts: Parts, build: (parts: Parts) => Compilable]

function selectionOf(db: Database, { name, dialect }: Table, selection: Selection): Statement {
  const { where, order = [], limit, offset, extras = {}, total, lock } = selection
  const names = Object.keys(extras)
  const build = ({ pieces: [where = [], order = [], ...more], numbers: [limit, offset] = [] }: Parts): Select => {
    let query = db.selectFrom(name).selectAll().where((eb) => expression(eb, where))
    if (names.length > 0) query = query.select(extra(names, more))
    if (total !== undefined) query = query.select(() => [aliasOf(countOf(db, name, where, total), total)])
    if (order.length > 0) query = query.orderBy((eb) => expression(eb, order))
    if (limit !== undefined) query = query.limit(limit)
    if (offset !== undefined) query = query.offset(offset)
    if (lock === undefined) return query
    const end = { kind: 'RawNode', sqlFragments: [lockText(lock, dialect)], parameters: [] }
    return query.modifyEnd({ toOperationNode: () => end })
  }
  const kind = `select ${lock ?? ''} ${total ?? ''} ${names.join()}`
  return [{ kind, pieces: [where, orderBy(order), ...Object.values(extras)], numbers: [limit, offset] }, build]
}

function insertionOf(db: Database, table: Table, row: Row): Statement {
  return [{ kind: 'insert', row, pieces: [] }, ({ row: values = {} }) => insertOf(db, table, values).returningAll()]
}

/** Adds a row once an expression was computed. */
function insertionAfter(db: Database, name: string, row: Row, first: Sql): Statement {
  const build = ({ row: values = {}, pieces: [first = []] }: Parts): Compilable => {
    const parts = Object.values(values).map((value): Sql => [isBuilt(value) ? { raw: value } : { value }])
    const select = sql`select ${joinPieces(parts, ', ')} from ${first}`
    return db.insertInto(name).columns(Object.keys(values)).expression((eb) => expression(eb, select)).returningAll()
  }
  return [{ kind: 'insert after', row, pieces: [first] }, build]
}

function updateOf(db: Database, name: string, changes: Row, where: Sql): Statement {
  const build = ({ row = {}, pieces: [condition = []] }: Parts): Compilable =>
    updateQuery(db, name, row, condition).returningAll()
  return [{ kind: 'update', row: changes, pieces: [where] }, build]
}

/** Runs single statements by a function that sends them on one connection. */
function statementOn(
  db: Database,
  { name, statements }: Table,
  send: (statement: Compiled) => Promise<Result>,
): SingleStatement {
  const run = async ([parts, build]: Statement): Promise<readonly Row[]> =>
    (await send(compileOnce(db, statements, parts, build))).rows
  return {
    insert: (row, first) => run(insertionAfter(db, name, row, first)),
    update: (changes, where) => run(updateOf(db, name, changes, where)),
  }
}

function insertOf(db: Database, { name, dialect }: Table, row: Row): Insert {
  const into = db.insertInto(name)
  // MySQL has no `default values`, and is the only one with `() values ()`.
  return Object.keys(row).length === 0 && dialect !== 'mysql' ? into.defaultValues() : into.values(row)
}

function updateQuery(db: Database, name: string, changes: Row, where: Sql): Change {
  const values = mapValues(changes, (value) => (
    value instanceof Computed ? (eb: ExpressionBuilder) => expression(eb, value.sql) : value
  ))
  return db.updateTable(name).set(values).where((eb) => expression(eb, where))
}

function countOf(db: Database, name: string, where: Sql, alias: string): Select {
  return db.selectFrom(name).where((eb) => expression(eb, where)).select(extra([alias], [['count(*)']]))
}
