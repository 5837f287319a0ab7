import type { LooseRow } from '../options.js'
import type { CrudPlan } from '../plan.js'
import { ancestorsOf, textOf } from './walk.js'

/** What is about to be put where: the rows that are moved, none where they are new, and the fields that are sent. */
export interface Moves {
  readonly ids?: readonly unknown[]
  readonly sent: readonly LooseRow[]
}

/**
 * The keys of all rows that a move is going to lock, as they stand before its transaction.
 *
 * Locked at once, and so in the order of their keys, they let two who move towards one another wait in turn; without this a database
 * would find out only after a while that each waits for the other, and undo one of them.
 */
export async function pathsOf({ store, tree }: CrudPlan, { ids = [], sent }: Moves): Promise<unknown[]> {
  if (tree === undefined) return []
  const parents = new Map(sent.map((fields) => [textOf(fields[tree.parent]), fields[tree.parent]] as const))
  parents.delete(undefined)
  if (parents.size === 0) return []
  const rows = await store.find(ids)
  if (rows.length > 0 && rows.every((row) => parents.has(textOf(row[tree.parent])))) return []
  const keys = new Map(ids.map((id) => [textOf(id), id] as const))
  for (const parent of parents.values()) {
    for (const row of await ancestorsOf(store, tree, { [tree.parent]: parent })) keys.set(textOf(row[store.key]), row[store.key])
  }
  return [...keys.values()]
}
