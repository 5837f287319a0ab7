import { MisuseError } from '../../errors.js'
import type { Place } from '../sql/catalog.js'
import type { Dialect } from '../sql/kinds.js'
import { compiledText, written, type Sql } from '../sql/statement.js'
import { orderedBy, type Inserted, type Row, type Selection, type SqlTable } from '../sql/table.js'

/*
 * One table by the methods of kysely 0.28 that the store calls, by structure: of kysely itself only types are imported
 * anywhere.
 */

export interface Database {
  readonly isTransaction: boolean
  getExecutor(): { readonly adapter: Adapter; readonly plugins: readonly Plugin[] }
  transaction(): { execute<T>(work: (transaction: Database) => Promise<T>): Promise<T> }
  withoutPlugins(): Database
  executeQuery(query: object): Promise<{ readonly rows: readonly Row[] }>
  selectFrom(table: string): Select
  insertInto(table: string): Insert
  updateTable(table: string): Change & { set(changes: Row): Change }
  deleteFrom(table: string): Change
}

/** The features of a database, from its adapter. */
interface Adapter {
  readonly supportsReturning: boolean
  readonly supportsTransactionalDdl: boolean
}

/** A plugin may rename the columns of a result, as `CamelCasePlugin` does. */
interface Plugin {
  transformResult(
    executed: { readonly queryId: object; readonly result: { readonly rows: readonly Row[] } },
  ): Promise<{ readonly rows: readonly Row[] }>
}

interface Expression {
  toOperationNode(): unknown
}

interface ExpressionBuilder {
  ref(column: string): Expression
  val(value: unknown): Expression
}

type Build<T> = (eb: ExpressionBuilder) => T

interface Select {
  selectAll(): Select
  select(selection: Build<Expression | readonly Expression[]>): Select
  where(condition: Build<Expression>): Select
  orderBy(order: Build<Expression>): Select
  limit(limit: number): Select
  offset(offset: number): Select
  forUpdate(): Select
  execute(): Promise<Row[]>
  toOperationNode(): { readonly from?: { readonly froms: readonly unknown[] } }
}

/** A name in a statement as the plugins have made it. */
interface TableNode {
  readonly table: { readonly schema?: { readonly name: string }; readonly identifier: { readonly name: string } }
}

interface Insert {
  values(rows: Row | readonly Row[]): Insert
  defaultValues(): Insert
  returningAll(): Insert
  execute(): Promise<Row[]>
  executeTakeFirstOrThrow(): Promise<Row & { readonly insertId?: bigint }>
}

interface Change {
  where(condition: Build<Expression>): Change
  executeTakeFirst(): Promise<{ readonly numDeletedRows: bigint }>
}

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

/** A table on a database or on a transaction of it. */
export function tableOf(
  db: Database,
  table: Pick<SqlTable<Database>, 'name' | 'dialect' | 'key' | 'columns'>,
): SqlTable<Database> {
  const { name, dialect } = table
  return {
    ...table,
    db,
    isTransaction: db.isTransaction,
    // A Kysely and its transactions share one adapter.
    identity: db.getExecutor().adapter,
    place: () => placeOf(db, name),
    fields: (columns) => fieldsOf(db, columns),
    query: async (statement) => (await db.withoutPlugins().executeQuery(compiled(statement, dialect))).rows,
    select: (selection) => selected(db.selectFrom(name), selection).execute(),
    count: async (where) => {
      const [row] = await db
        .selectFrom(name)
        .where((eb) => expression(eb, where))
        .select((eb) => aliased(eb, 'total', ['count(*)']))
        .execute()
      return row?.total
    },
    insert: (row) => inserted(db.insertInto(name), row, dialect),
    insertMany: dialect === 'mysql' ? undefined : (rows) => db.insertInto(name).values(rows).returningAll().execute(),
    update: (changes, where) =>
      db.updateTable(name).set(changes).where((eb) => expression(eb, where)).executeTakeFirst(),
    delete: async (where) =>
      Number((await db.deleteFrom(name).where((eb) => expression(eb, where)).executeTakeFirst()).numDeletedRows),
    transaction: (work) => db.transaction().execute(work),
    on: (other) => tableOf(other, table),
  }
}

/** Finds the schema and the table that a statement names, as the plugins have made it. */
function placeOf(db: Database, name: string): Place {
  const [node] = db.selectFrom(name).selectAll().toOperationNode().from?.froms ?? []
  const named = (node as Partial<TableNode> | undefined)?.table
  return { schema: named?.schema?.name, table: named?.identifier.name ?? name }
}

/** Finds the names that the plugins give to columns in a row. */
async function fieldsOf(db: Database, columns: readonly string[]): Promise<ReadonlyMap<string, string>> {
  let result: { readonly rows: readonly Row[] } = {
    rows: [Object.fromEntries(columns.map((column, index) => [column, index]))],
  }
  for (const plugin of db.getExecutor().plugins) {
    result = await plugin.transformResult({ queryId: { queryId: 'resourcery' }, result })
  }
  return new Map(Object.entries(result.rows[0] ?? {}).map(([field, index]) => [columns[Number(index)] ?? field, field]))
}

function compiled(statement: Sql, dialect: Dialect): object {
  const { text, parameters } = compiledText(statement, (index) => (dialect === 'postgres' ? `$${index}` : '?'))
  const query = { kind: 'RawNode', sqlFragments: [text], parameters: [] }
  return { sql: text, parameters, query, queryId: { queryId: 'resourcery' } }
}

function selected(
  from: Select,
  { where, order = [], limit, offset, extras = {}, isLocked = false }: Selection,
): Select {
  let query = from.selectAll().where((eb) => expression(eb, where))
  if (Object.keys(extras).length > 0) {
    query = query.select((eb) => Object.entries(extras).map(([name, sql]) => aliased(eb, name, sql)))
  }
  if (order.length > 0) query = query.orderBy((eb) => expression(eb, orderedBy(order)))
  if (limit !== undefined) query = query.limit(limit)
  if (offset !== undefined) query = query.offset(offset)
  return isLocked ? query.forUpdate() : query
}

async function inserted(into: Insert, row: Row, dialect: Dialect): Promise<Inserted> {
  const insert = Object.keys(row).length === 0 ? into.defaultValues() : into.values(row)
  if (dialect !== 'mysql') return { row: await insert.returningAll().executeTakeFirstOrThrow() }
  return { key: (await insert.executeTakeFirstOrThrow()).insertId }
}

/** Makes an expression of kysely's: text between references and bound values. */
function expression(eb: ExpressionBuilder, piece: Sql): Expression {
  const fragments: string[] = []
  const parameters: unknown[] = []
  let text = ''
  const add = (part: Expression): void => {
    parameters.push(part.toOperationNode())
    fragments.push(text)
    text = ''
  }
  written(piece, {
    text: (more) => void (text += more),
    column: (column) => add(eb.ref(column)),
    value: (value) => add(eb.val(value)),
    raw: (raw) => add(rawExpression(eb, raw)),
  })
  const node = { kind: 'RawNode', sqlFragments: [...fragments, text], parameters }
  return { toOperationNode: () => node }
}

function aliased(eb: ExpressionBuilder, name: string, piece: Sql): Expression {
  const node = expression(eb, piece).toOperationNode()
  return { toOperationNode: () => ({ kind: 'AliasNode', node, alias: { kind: 'IdentifierNode', name } }) }
}

/** Takes an expression of kysely's or a function of its expression builder. */
function rawExpression(eb: ExpressionBuilder, raw: unknown): Expression {
  const made: unknown = typeof raw === 'function' ? (raw as (eb: ExpressionBuilder) => unknown)(eb) : raw
  if (isExpression(made)) return made
  throw new MisuseError(
    'store_raw',
    'A raw condition of a kyselyStore is an expression, as in raw(sql`…`), or a function of an expression builder that '
      + 'returns one.',
  )
}

function isExpression(value: unknown): value is Expression {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && 'toOperationNode' in value
    && typeof value.toOperationNode === 'function'
}
