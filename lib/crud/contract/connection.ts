import { join, type Turns } from './turns.js'

/*
 * Facts about the database of a store, for stores of this package. They are no part of a `Store`: an object that
 * forwards to one may forward to several.
 */

/** The place of a table: the schema is `undefined` for the one that the connection begins with. */
export interface Place {
  readonly schema: string | undefined
  readonly table: string
}

/** A column that refers to the key of another table; one that does so together with others is left out. */
export interface ForeignKey {
  /** The name of the column in a row. */
  readonly field: string
  readonly table: Place
}

/** The table of a store. */
export interface KnownTable {
  /** An object that all stores on one connection have in common. */
  readonly connection: object
  readonly place: () => Place
  readonly foreignKeys: () => Promise<readonly ForeignKey[]>
}

const tableByStore = new WeakMap<object, KnownTable>()
const turnsByStore = new WeakMap<object, Turns>()

/** Returns a store whose table is known. */
export function withTable<S extends object>(store: S, table: KnownTable): S {
  tableByStore.set(store, table)
  return store
}

/** Returns a store in memory whose transactions take turns. */
export function withTurns<S extends object>(store: S, own: Turns): S {
  turnsByStore.set(store, own)
  return store
}

/** Returns the table of a store, `undefined` where it is not known. */
export function tableOf(store: object): KnownTable | undefined {
  return tableByStore.get(store)
}

interface Connected {
  readonly db: unknown
  readonly on?: unknown
}

/**
 * Checks that a transaction of one store can lock rows of another: both are on one connection, or in memory, where they
 * take turns from now on.
 */
export function locksTogether(store: Connected, other: Connected): boolean {
  if (store === other) return true
  const [own, others] = [turnsByStore.get(store), turnsByStore.get(other)]
  if (own !== undefined && others !== undefined) join(own, others)
  const [table, otherTable] = [tableByStore.get(store), tableByStore.get(other)]
  const isKnownApart = table !== undefined && otherTable !== undefined && table.connection !== otherTable.connection
  return store.db === other.db && !isKnownApart && (other.db === undefined || other.on !== undefined)
}
