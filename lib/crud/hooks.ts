import type { Request } from 'express'
import type { Store } from '../store.js'

/** The writing actions of the core; features add theirs. */
export type CoreWriting = 'create' | 'edit' | 'store' | 'delete'

/** The context of a hook; `Added` are the names of the actions that features add. */
export interface CoreHookContext<Row extends object, Db, Added extends string = never> {
  readonly req: Request
  /** The action; each row of a `deleteMany` is a `delete`. */
  readonly action: CoreWriting | 'show' | 'list' | Added
  /** Inside the transaction where there is one; its `db` reaches other tables. */
  readonly store: Store<Row, Db>
}

type Maybe<T> = T | Promise<T>
type OnRow<Row extends object, Context> = (row: Row, context: Context) => Maybe<void>
/** The columns that a hook returns; one that is undefined is not written. */
type Columns<Row> = { readonly [K in keyof Row]?: Row[K] | undefined }
/** Returns the columns to be written in place of the fields, other columns included. */
type Before<Row extends object, Fields, C> = (fields: Fields, context: C) => Maybe<Columns<Row> | undefined> | Maybe<void>

/** Hooks around each action. Those of a write run inside its transaction, perhaps more than once: what they throw undoes everything. */
export interface CoreHooks<Row extends object, Db, Fields, Added extends string = never, Context = CoreHookContext<Row, Db, Added>> {
  readonly check?: OnRow<Row, Context>
  readonly before?: {
    readonly list?: (context: Context) => Maybe<void>
    readonly show?: (context: Context) => Maybe<void>
    readonly create?: Before<Row, Fields, Context>
    readonly edit?: Before<Row, Fields, Context & { readonly row: Row }>
    readonly store?: Before<Row, Partial<Fields>, Context & { readonly row: Row }>
    readonly delete?: OnRow<Row, Context>
  } & Readonly<Partial<Record<Added, OnRow<Row, Context>>>>
  readonly after?: {
    readonly list?: (rows: readonly Row[], context: Context) => Maybe<void>
  } & Readonly<Partial<Record<CoreWriting | 'show' | Added, OnRow<Row, Context>>>>
  /** Run once the transaction is committed. What these throw is logged: the write has happened, and the reply says so. */
  readonly afterCommit?: Readonly<Partial<Record<CoreWriting | Added, (row: Row, req: Request) => Maybe<void>>>>
}

/** Runs a hook on each row, one after the other. */
export async function onEach<Row, C>(rows: readonly Row[], hook: ((row: Row, context: C) => Maybe<void>) | undefined, context: C): Promise<void> {
  for (const row of rows) await hook?.(row, context)
}
