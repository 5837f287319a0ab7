import type { SingleWrites } from './single-writes.js'
import { joinTurns, type Turns } from './turns.js'

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

export interface KnownTable {
  /** An object that all stores on one connection have in common. */
  readonly connection: object
  readonly place: () => Place
  readonly foreignKeys: () => Promise<readonly ForeignKey[]>
}

interface Facts {
  readonly table?: KnownTable
  readonly turns?: Turns
  readonly singleWrites?: SingleWrites
}

const factsByStore = new WeakMap<object, Facts>()

function remember<S extends object>(store: S, more: Facts): S {
  factsByStore.set(store, { ...factsByStore.get(store), ...more })
  return store
}

export function withTable<S extends object>(store: S, table: KnownTable): S {
  return remember(store, { table })
}

/** Returns a store in memory whose transactions take turns. */
export function withTurns<S extends object>(store: S, turns: Turns): S {
  return remember(store, { turns })
}

export function withSingleWrites<S extends object>(store: S, singleWrites: SingleWrites | undefined): S {
  return singleWrites === undefined ? store : remember(store, { singleWrites })
}

export function tableOf(store: object): KnownTable | undefined {
  return factsByStore.get(store)?.table
}

/** Returns the single writes of a store, `undefined` for one that writes in transactions alone. */
export function singleWritesOf(store: object): SingleWrites | undefined {
  return factsByStore.get(store)?.singleWrites
}

interface Connected {
  readonly db: unknown
  readonly on?: unknown
}

/**
 * Lets the transactions of one store lock rows of another, and returns true if that is possible: both are on one
 * connection, or in memory, where they take turns from now on.
 */
export function joinLocks(store: Connected, other: Connected): boolean {
  if (store === other) return true
  shareTurns(factsByStore.get(store)?.turns, factsByStore.get(other)?.turns)
  const [table, otherTable] = [tableOf(store), tableOf(other)]
  const isKnownApart = table !== undefined && otherTable !== undefined && table.connection !== otherTable.connection
  return store.db === other.db && !isKnownApart && (other.db === undefined || other.on !== undefined)
}

function shareTurns(one: Turns | undefined, other: Turns | undefined): void {
  if (one !== undefined && other !== undefined) joinTurns(one, other)
}
