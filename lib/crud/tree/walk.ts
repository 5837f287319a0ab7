import { ConflictError } from '../../errors.js'
import type { LooseRow, LooseStore, LooseWhere } from '../options.js'
import type { Tree } from './tree.js'

/*
 * Two who change one tree at a time cannot make a circle or lose a child: whoever puts a row under a parent locks that parent and all
 * above it, up to the root, and whoever deletes a row has locked it before looking for its children. Of two moves that would close a
 * circle each has locked what the other needs, so that one is undone, runs again, and finds it.
 */

/** A key as text, since a driver may hand a number over as one; none where there is no key. */
export function textOf(key: unknown): string | undefined {
  return (key as string | number | null | undefined)?.toString()
}

/** What stands above a row, the nearest first, each locked; one more than there may be levels, where there are more. */
export async function ancestorsOf(store: LooseStore, { parent, depth }: Tree, row: LooseRow): Promise<LooseRow[]> {
  const above: LooseRow[] = []
  let current: LooseRow | undefined = row
  while (current !== undefined && above.length <= depth) {
    const key: unknown = current[parent]
    if (key === null || key === undefined) break
    ;[current] = await store.find([key])
    if (current !== undefined) above.push(current)
  }
  return above
}

/** The rows under these, of those that match, level by level and each once; none of these themselves, whatever circle is stored. */
export async function descendantsOf(store: LooseStore, tree: Tree, rows: readonly LooseRow[], where: LooseWhere): Promise<LooseRow[][]> {
  const seen = new Set(rows.map((row) => textOf(row[store.key])))
  const levels: LooseRow[][] = []
  for (let parents = rows; parents.length > 0;) {
    const children = (await childrenOf(store, tree, parents, where)).filter((row) => !seen.has(textOf(row[store.key])))
    for (const row of children) seen.add(textOf(row[store.key]))
    if (seen.size - rows.length > tree.size) throw tooMany(tree)
    if (children.length > 0) levels.push(children)
    parents = children
  }
  return levels
}

/** The rows right under these, of those that match, locked. */
export async function childrenOf(store: LooseStore, tree: Tree, parents: readonly LooseRow[], where: LooseWhere): Promise<LooseRow[]> {
  const under: LooseWhere = [...where, [tree.parent, 'in', parents.map((row) => row[store.key] as object)]]
  const found = await store.list({ where: under, order: [store.key] }).slice(0, tree.size + parents.length + 1)
  const known = new Set(parents.map((row) => textOf(row[store.key])))
  if (found.filter((row) => !known.has(textOf(row[store.key]))).length > tree.size) throw tooMany(tree)
  // One that has moved away meanwhile is no longer a child.
  return store.find(found.map((row) => row[store.key]), under)
}

function tooMany({ size }: Tree): ConflictError {
  return new ConflictError(`More than ${size} rows hang on this`, { reason: 'conflict_children' })
}
