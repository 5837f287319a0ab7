import { NotFoundError } from '../errors.js'
import type { LooseRow, LooseStore } from './options.js'
import { childrenFirst } from './tree/children-first.js'
import type { Tree } from './tree/tree.js'

/** Deletes rows for good, all or none. */
export async function erase(store: LooseStore, tree: Tree | undefined, rows: readonly LooseRow[]): Promise<void> {
  const batches = tree === undefined ? [rows] : childrenFirst(rows, store.key, tree.parent)
  for (const batch of batches) {
    const keys = batch.map((row) => row[store.key])
    if (await store.delete(keys) < keys.length) throw new NotFoundError()
  }
}
