import type { Adapter } from './dialect.js'
import type { Expression, ExpressionBuilder } from './expressions.js'

type Values = Readonly<Record<string, unknown>>

/* One table by the methods of kysely 0.28 that the store calls; nothing of a user's schema is of interest here. */

export interface Database {
  readonly isTransaction: boolean
  getExecutor(): { readonly adapter: Adapter }
  transaction(): { execute<T>(work: (transaction: Database) => Promise<T>): Promise<T> }
  selectFrom(table: string): Select
  insertInto(table: string): Insert
  updateTable(table: string): Update
  deleteFrom(table: string): Delete
}

type Condition = (eb: ExpressionBuilder) => Expression

export interface Select {
  readonly isSelectQueryBuilder: true
  selectAll(): this
  where(condition: Condition): this
  orderBy(column: string): this
  forUpdate(): this
  execute(): Promise<Values[]>
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
