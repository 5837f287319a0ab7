import { ConflictError, messageOf } from '../../../core/index.js'
import { keyText, type Conditions, type Row, type Rows } from '../../core/index.js'
import type { Tree } from './options.js'

/*
 * Two callers who change one tree at a time cannot make a cycle or lose a child: a transaction that puts a row under a
 * parent locks that parent and all its ancestors, and one that deletes a row has locked it before it looks for its
 * children. Of two moves that would close a cycle, each has locked a row that the other needs, so that one is undone,
 * runs again, and finds the cycle.
 */

/** Returns a key as a string, since a driver may return a number as one; `undefined` where there is no key. */
export function keyString(key: unknown): string | undefined {
  return key === null || key === undefined ? undefined : keyText(key)
}

/**
 * Returns the ancestors of a row, the nearest first, each locked; where there are more than the tree's depth, one more
 * than that.
 */
export async function ancestorsOf(store: Rows, { parent, depth }: Tree, row: Row): Promise<Row[]> {
  const above: Row[] = []
  let current: Row | undefined = row
  while (current !== undefined && above.length <= depth) {
    const key: unknown = current[parent]
    if (key === null || key === undefined) break
    ;[current] = await store.find([key])
    if (current !== undefined) above.push(current)
  }
  return above
}

/**
 * Returns the descendants of rows that match, level by level and each once; none of these rows themselves, even where a
 * cycle is stored.
 */
export async function descendantsOf(
  store: Rows,
  tree: Tree,
  rows: readonly Row[],
  where: Conditions,
): Promise<Row[][]> {
  const seen = new Set(rows.map((row) => keyString(row[store.key])))
  const levels: Row[][] = []
  for (let parents = rows; parents.length > 0;) {
    const children = (await childrenOf(store, tree, parents, where)).filter((row) =>
      !seen.has(keyString(row[store.key]))
    )
    for (const row of children) seen.add(keyString(row[store.key]))
    if (seen.size - rows.length > tree.size) throw tooMany(tree)
    if (children.length > 0) levels.push(children)
    parents = children
  }
  return levels
}

/** Returns the children of rows that match, locked. */
export async function childrenOf(
  store: Rows,
  tree: Tree,
  parents: readonly Row[],
  where: Conditions,
): Promise<Row[]> {
  const under = [...where, ...isChildOf(tree, store, parents)]
  const rows = await store.list({ where: under, order: [store.key] }).slice(0, tree.size + parents.length + 1)
  const parentKeys = new Set(parents.map((row) => keyString(row[store.key])))
  if (rows.filter((row) => !parentKeys.has(keyString(row[store.key]))).length > tree.size) throw tooMany(tree)
  // One that was moved away meanwhile is no longer a child.
  return store.find(rows.map((row) => row[store.key]), under)
}

export function isChildOf({ parent }: Tree, { key }: Rows, parents: readonly Row[]): Conditions {
  return [[parent, 'in', parents.map((row) => row[key])]]
}

function tooMany({ size }: Tree): ConflictError {
  return new ConflictError(messageOf('conflict_children.too_many', { max: size }))
}
