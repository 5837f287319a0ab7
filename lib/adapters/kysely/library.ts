import type { Row } from '../sql/table.js'

/*
 * The methods of kysely 0.28 that the store and the source call, by structure: of kysely itself only types are
 * imported anywhere.
 */

export interface Database {
  readonly isTransaction: boolean
  getExecutor(): Executor
  transaction(): TransactionBuilder
  withoutPlugins(): Database
  executeQuery(query: object): Promise<Result>
  selectFrom(table: string): Select
  insertInto(table: string): Insert
  updateTable(table: string): Change & { set(changes: Row): Change }
  deleteFrom(table: string): Change
}

export interface TransactionBuilder {
  setIsolationLevel(level: 'read committed'): TransactionBuilder
  execute<T>(work: (transaction: Database) => Promise<T>): Promise<T>
}

export interface Result {
  readonly rows: readonly Row[]
}

type ProvideConnection = <T>(run: (connection: Pick<Executor, 'executeQuery'>) => Promise<T>) => Promise<T>

interface Executor {
  /** The features of the database. */
  readonly adapter: { readonly supportsReturning: boolean; readonly supportsTransactionalDdl: boolean }
  readonly plugins: readonly Plugin[]
  readonly provideConnection: ProvideConnection
  withConnectionProvider(provider: { readonly provideConnection: ProvideConnection }): Executor
  executeQuery(query: Compiled): Promise<Result>
}

/** A statement as it is sent. */
export interface Compiled {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

export interface Compilable {
  compile(): Compiled
}

/** A plugin may rename the columns of a result, as `CamelCasePlugin` does. */
interface Plugin {
  transformResult(executed: { readonly queryId: object; readonly result: Result }): Promise<Result>
}

export interface Expression {
  toOperationNode(): Node
}

export interface ExpressionBuilder {
  ref(column: string): Expression
  val(value: unknown): Expression
}

export type Build<T> = (eb: ExpressionBuilder) => T

export interface Select extends Compilable {
  selectAll(): Select
  select(selection: Build<Expression | readonly Expression[]>): Select
  where(condition: Build<Expression>): Select
  orderBy(order: Build<Expression>): Select
  limit(limit: number | object): Select
  offset(offset: number | object): Select
  modifyEnd(end: Expression): Select
  toOperationNode(): { readonly kind: string; readonly from?: { readonly froms: readonly TableNode[] } }
}

/** A name in a statement as the plugins have made it. */
interface TableNode {
  readonly table?: { readonly schema?: { readonly name: string }; readonly identifier: { readonly name: string } }
}

export interface Insert extends Compilable {
  values(rows: Row | readonly Row[]): Insert
  defaultValues(): Insert
  columns(names: readonly string[]): Insert
  expression(rows: Build<Expression>): Insert
  returningAll(): Insert
  executeTakeFirstOrThrow(): Promise<{ readonly insertId?: bigint }>
}

export interface Change extends Compilable {
  where(condition: Build<Expression>): Change
  returningAll(): Change
  executeTakeFirst(): Promise<{ readonly numDeletedRows: bigint }>
}

/** A query that is a source. */
export interface Builder {
  execute(): Promise<Record<string, unknown>[]>
  select(build: Build<readonly Expression[]>): Builder
  where(build: Build<Expression>): Builder
  orderBy(column: string, direction: 'asc' | 'desc'): Builder
  orderBy(build: Build<Expression>): Builder
  clearOrderBy(): Builder
  limit(limit: number): Builder
  offset(offset: number): Builder
  withPlugin(plugin: QueryPlugin): Builder
  toOperationNode(): QueryNode
  compile(): { readonly sql: string }
}

export interface QueryPlugin {
  transformQuery(query: { readonly node: QueryNode }): QueryNode
  transformResult<Result>(executed: { readonly result: Result }): Promise<Result>
}

/** A query as plain data. */
export interface QueryNode {
  readonly kind: string
  readonly from?: unknown
  readonly selections?: readonly { readonly selection: Node }[]
  readonly limit?: unknown
  readonly offset?: unknown
  readonly orderBy?: unknown
  readonly groupBy?: unknown
  readonly having?: unknown
  readonly distinctOn?: unknown
  readonly setOperations?: unknown
  readonly frontModifiers?: unknown
  readonly endModifiers?: unknown
}

export interface Node {
  readonly kind: string
  readonly node?: Node
  readonly alias?: { readonly name?: string }
  /** The column of a reference, whose own column is its name. */
  readonly column?: { readonly column?: { readonly name?: string } }
}
