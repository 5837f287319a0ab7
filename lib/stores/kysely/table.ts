import type { Columns, Dialect } from '../sql/kinds.js'
import type { Adapter } from './dialect.js'
import type { Expression, ExpressionBuilder } from './expressions.js'

type Values = Readonly<Record<string, unknown>>

/* One table by the methods of kysely 0.28 that the store calls; nothing of a user's schema is of interest here. */

export interface Database {
  readonly isTransaction: boolean
  getExecutor(): { readonly adapter: Adapter; readonly plugins: readonly Plugin[] }
  transaction(): { execute<T>(work: (transaction: Database) => Promise<T>): Promise<T> }
  withoutPlugins(): Database
  executeQuery(query: object): Promise<{ readonly rows: readonly Values[] }>
  selectFrom(table: string): Select
  insertInto(table: string): Insert
  updateTable(table: string): Update
  deleteFrom(table: string): Delete
}

/** A plugin may rename the columns of a result, as `CamelCasePlugin` does. */
export interface Plugin {
  transformResult(executed: { readonly queryId: object; readonly result: { readonly rows: readonly Values[] } }): Promise<{ readonly rows: readonly Values[] }>
}

type Condition = (eb: ExpressionBuilder) => Expression

/** A name in a statement as the plugins have made it. */
export interface TableNode {
  readonly table: { readonly schema?: { readonly name: string }; readonly identifier: { readonly name: string } }
}

export interface Select {
  readonly isSelectQueryBuilder: true
  selectAll(): this
  where(condition: Condition): this
  orderBy(column: string): this
  forUpdate(): this
  execute(): Promise<Values[]>
  toOperationNode(): { readonly from?: { readonly froms: readonly unknown[] } }
}

export interface Insert {
  values(row: Values): this
  defaultValues(): this
  returningAll(): this
  executeTakeFirstOrThrow(): Promise<Values & { readonly insertId?: bigint }>
}

export interface Update {
  set(changes: Values): this
  where(condition: Condition): this
  executeTakeFirst(): Promise<unknown>
}

export interface Delete {
  where(condition: Condition): this
  executeTakeFirst(): Promise<{ readonly numDeletedRows: bigint }>
}

/** What is known of one table before the database is asked. */
export interface Table {
  readonly table: string
  readonly key: string
  readonly columns: Columns
  readonly dialect: Dialect
}
