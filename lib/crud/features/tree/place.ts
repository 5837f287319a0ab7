import { ConflictError, ValidationError } from '../../../errors.js'
import { messageOf } from '../../../messages.js'
import type { CrudPlan, Target, Write } from '../../feature.js'
import type { AnyStore, Conditions, Row } from '../../options.js'
import { MOST_ROWS } from '../../write.js'
import type { Tree } from './options.js'
import { ancestorsOf, descendantsOf, keyString } from './walk.js'

/**
 * Checks the place of a row that is about to be written, and locks its ancestors until the transaction ends. `live` are
 * the conditions of the rows that count as children.
 *
 * @throws ValidationError naming the field of the parent, for an unknown parent and for one level too many.
 * @throws ConflictError `conflict_cycle` when a row would be its own ancestor.
 */
export async function checkPlace(
  tree: Tree,
  { store, found: row, columns, scope }: Write,
  live: Conditions,
): Promise<void> {
  const parent = columns[tree.parent]
  const key = keyString(row?.[store.key])
  if (keyString(parent) === undefined || keyString(parent) === keyString(row?.[tree.parent])) return
  if (keyString(parent) === key) throw cycle()
  const [found] = await store.find([parent], scope)
  if (found === undefined) throw new ValidationError({ [tree.parent]: [messageOf('field.parent_unknown')] })
  const above = [found, ...await ancestorsOf(store, tree, found)]
  if (above.some((each) => keyString(each[store.key]) === key)) throw cycle()
  const below = row === undefined ? [] : await descendantsOf(store, tree, [row], live)
  if (above.length + 1 + below.length > tree.depth) {
    throw new ValidationError({ [tree.parent]: [messageOf('field.tree_depth', { max: tree.depth })] })
  }
}

function cycle(): ConflictError {
  return new ConflictError(messageOf('conflict_cycle'))
}

/**
 * Returns the descendants that are restored with a row, and checks its place; `together` holds for rows that were
 * deleted together with it.
 *
 * @throws ConflictError `conflict_parent` when its parent does not exist any more, or is too deep for it by now.
 */
export async function subtreeToRestore(
  tree: Tree,
  store: AnyStore,
  row: Row,
  together: Conditions,
  live: Conditions,
): Promise<Row[]> {
  // A bulk call may have deleted other rows at the same time, each with its descendants.
  const whole = { ...tree, size: tree.size + MOST_ROWS }
  const levels = tree.onDelete === 'cascade' ? await descendantsOf(store, whole, [row], together) : []
  const parent = row[tree.parent]
  if (keyString(parent) === undefined) return levels.flat()
  const [found] = await store.find([parent], live)
  if (found === undefined) throw new ConflictError(messageOf('conflict_parent'))
  const above = [found, ...await ancestorsOf(store, tree, found)]
  if (above.length + 1 + levels.length > tree.depth) throw new ConflictError(messageOf('conflict_parent.depth'))
  return levels.flat()
}

/**
 * Returns the keys of all rows that a move will lock, as of before its transaction.
 *
 * Locked at once, and so in the order of their keys, they let two callers who move rows towards one another wait in
 * turn; without this a database would find out only after a while that each waits for the other, and undo one of them.
 */
export async function keysOfMove({ store }: CrudPlan, tree: Tree, { ids = [], sent }: Target): Promise<unknown[]> {
  const parents = new Map(sent.map((fields) => [keyString(fields[tree.parent]), fields[tree.parent]] as const))
  parents.delete(undefined)
  if (parents.size === 0) return []
  const rows = await store.find(ids)
  if (rows.length > 0 && rows.every((row) => parents.has(keyString(row[tree.parent])))) return []
  const keys = new Map(ids.map((id) => [keyString(id), id] as const))
  for (const parent of parents.values()) {
    for (const row of await ancestorsOf(store, tree, { [tree.parent]: parent })) {
      keys.set(
        keyString(row[store.key]),
        row[store.key],
      )
    }
  }
  return [...keys.values()]
}
