import { ConflictError } from '../../errors.js'
import type { LooseRow, LooseStore, LooseWhere } from '../options.js'
import type { Tree } from './tree.js'
import { childrenOf, descendantsOf, textOf } from './walk.js'

/**
 * Returns the rows that are deleted with these, level by level; `below` is a condition on the rows that count as children.
 *
 * @throws ConflictError `conflict_children` where a child stays, or a descendant is out of the caller's scope.
 */
export async function dependentsOf(store: LooseStore, tree: Tree, rows: readonly LooseRow[], below: LooseWhere, reach: LooseWhere): Promise<LooseRow[]> {
  if (tree.onDelete === 'reparent') return []
  if (tree.onDelete === 'restrict') {
    const going = new Set(rows.map((row) => textOf(row[store.key])))
    const children = await childrenOf(store, tree, rows, below)
    if (children.some((child) => !going.has(textOf(child[store.key])))) throw hasChildren()
    return []
  }
  const found = (await descendantsOf(store, tree, rows, below)).flat()
  if (reach.length > 0 && (await store.find(found.map((row) => row[store.key]), reach)).length < found.length) throw hasChildren()
  return found
}

export function hasChildren(): ConflictError {
  return new ConflictError('This record has children', { reason: 'conflict_children' })
}
