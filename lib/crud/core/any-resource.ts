import type { z } from 'zod'
import type { PageSource } from '../../core/index.js'
import type { AnyWhere } from '../contract/checks.js'
import type { FindOptions, Store, TransactionOptions } from '../contract/store.js'
import type { AnyCustom } from './custom-types.js'
import type { ActionMetadata, CoreHookContext, CoreOptions } from './options.js'

/*
 * The types of any resource: what the core works with, once the types of a declaration have tied its options to its
 * store.
 */

/** A row, once the types have tied the options to the store. */
export type Row = Record<string, unknown>
/** The store of any resource, which takes conditions on any column. */
export interface AnyStore extends Omit<Store<Row>, 'list' | 'find' | 'sum' | 'deleteWhere' | 'transaction' | 'on'> {
  list(query: { readonly where: Conditions; readonly order: readonly string[] }): PageSource<Row>
  find(keys: readonly unknown[], where?: Conditions, options?: FindOptions): Promise<Row[]>
  sum?(columns: readonly string[], where?: Conditions): Promise<Readonly<Record<string, string>>>
  deleteWhere?(where: Conditions): Promise<number>
  transaction<T>(work: (store: AnyStore) => Promise<T>, options?: TransactionOptions): Promise<T>
  on?(db: unknown): AnyStore
}
/** The rows of a store, which are locked inside a transaction or not. */
export type Rows = Pick<AnyStore, 'key' | 'find' | 'list'>
/** Conditions on the rows of any resource; all of them must hold. */
export type Conditions = AnyWhere
/** The context of a hook of any resource. */
export type AnyContext = CoreHookContext<Row, unknown, string>
/** The options of the core, once the types have tied them to the store. */
export type AnyOptions =
  & Omit<CoreOptions<Row, unknown, z.ZodObject, z.ZodObject, z.ZodType, string, string>, 'sort' | 'order' | 'search'>
  & Readonly<Partial<Record<'sort' | 'order' | 'search', readonly string[]>>>
  & {
    readonly custom?: Readonly<Record<string, AnyCustom>>
    readonly perAction?: Readonly<Record<string, ActionMetadata>>
  }

/** Runs a hook on each row, one after the other. */
export async function onEach<Row, C>(
  rows: readonly Row[],
  hook: ((row: Row, context: C) => void | Promise<void>) | undefined,
  context: C,
): Promise<void> {
  for (const row of rows) await hook?.(row, context)
}

/** Returns one record with the members of several; of members with one name the last one counts. */
export function merge<T>(records: readonly (Readonly<Record<string, T>> | undefined)[]): Record<string, T> {
  const merged: Record<string, T> = {}
  for (const record of records) Object.assign(merged, record)
  return merged
}
