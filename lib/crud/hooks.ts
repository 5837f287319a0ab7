import type { Request } from 'express'
import type { Store } from '../store.js'

export type Writing = 'create' | 'edit' | 'store' | 'delete' | 'restore' | 'purge'

/** What a hook knows. */
export interface HookContext<Row extends object, Db> {
  readonly req: Request
  /** The action; each row of a `deleteMany` is a `delete`. */
  readonly action: Writing | 'show' | 'list'
  /** Inside the transaction where there is one; its `db` reaches other tables. */
  readonly store: Store<Row, Db>
}

type Maybe<T> = T | Promise<T>
type After<Row extends object, Db> = (row: Row, context: HookContext<Row, Db>) => Maybe<void>
/** The columns that a hook returns; one that is undefined is not written. */
type Columns<Row> = { readonly [K in keyof Row]?: Row[K] | undefined }
/** Returns the columns to be written in place of the fields, other columns included. */
type Before<Row extends object, Fields, C> = (fields: Fields, context: C) => Maybe<Columns<Row> | undefined> | Maybe<void>
type Changing<Row extends object, Db> = HookContext<Row, Db> & { readonly row: Row }

/** Hooks around each action. Those of a write run inside its transaction, perhaps more than once: what they throw undoes everything. */
export interface Hooks<Row extends object, Db, Fields> {
  readonly check?: (row: Row, context: HookContext<Row, Db>) => Maybe<void>
  readonly before?: {
    readonly list?: (context: HookContext<Row, Db>) => Maybe<void>
    readonly show?: (context: HookContext<Row, Db>) => Maybe<void>
    readonly create?: Before<Row, Fields, HookContext<Row, Db>>
    readonly edit?: Before<Row, Fields, Changing<Row, Db>>
    readonly store?: Before<Row, Partial<Fields>, Changing<Row, Db>>
    readonly delete?: After<Row, Db>
    readonly restore?: After<Row, Db>
    readonly purge?: After<Row, Db>
  }
  readonly after?: {
    readonly list?: (rows: readonly Row[], context: HookContext<Row, Db>) => Maybe<void>
  } & Readonly<Partial<Record<Writing | 'show', After<Row, Db>>>>
  /** When it is written for good, once. What these throw is logged: the write has happened, and the reply says so. */
  readonly afterCommit?: Readonly<Partial<Record<Writing, (row: Row, req: Request) => Maybe<void>>>>
}

/** Runs a hook on each row, one after the other. */
export async function onEach<Row, C>(rows: readonly Row[], hook: ((row: Row, context: C) => Maybe<void>) | undefined, context: C): Promise<void> {
  for (const row of rows) await hook?.(row, context)
}
