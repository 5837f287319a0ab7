import { ConflictError, messageOf, ValidationError } from '../../../core/index.js'
import { loadInScope, MOST_ROWS, valueOf, withoutLocks, type Call, type Conditions, type Dependents, type Row,
  type Rows, type WriteTarget, type Write } from '../../core/index.js'
import type { Tree } from './options.js'
import { ancestorsOf, descendantsOf, keyString } from './walk.js'

/**
 * Checks the place of a row that is about to be written, and locks its ancestors until the transaction ends. `live` are
 * the conditions of the rows that count as children.
 *
 * @throws ValidationError naming the field of the parent, for an unknown parent and for one level too many.
 * @throws ConflictError `conflict_cycle` when a row would be its own ancestor.
 */
export async function checkPlace(tree: Tree, write: Write, live: Conditions): Promise<void> {
  const { call: { store }, found: row, columns, scope } = write
  const parent = keyString(valueOf(columns, tree.parent))
  if (parent === undefined || parent === keyString(row?.[tree.parent])) return
  if (parent === keyString(row?.[store.key])) throw cycle()
  if (scope.length > live.length) await checkAround(tree, withoutLocks(store), write, live)
  await checkAround(tree, store, write, live)
}

async function checkAround(
  tree: Tree,
  store: Rows,
  { found: row, columns, scope }: Write,
  live: Conditions,
): Promise<void> {
  const [parent] = await store.find([columns[tree.parent]], scope)
  if (parent === undefined) throw new ValidationError({ [tree.parent]: [messageOf('field.parent_unknown')] })
  const above = [parent, ...await ancestorsOf(store, tree, parent)]
  const key = keyString(row?.[store.key])
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
 * Returns a function that finds the descendants that are restored with a row, and checks its place; `together` holds
 * for rows that were deleted together with it, and `live` returns the conditions of the rows that count as parents.
 *
 * It throws ConflictError `conflict_parent` when its parent does not exist any more, or is too deep for it by now.
 */
export function subtreeToRestore(tree: Tree, live: () => Conditions): Dependents['restoredWith'] {
  // A bulk call may have deleted other rows at the same time, each with its descendants.
  const whole = { ...tree, size: tree.size + MOST_ROWS }
  return async (store, row, together) => {
    const levels = tree.onDelete === 'cascade' ? await descendantsOf(store, whole, [row], together) : []
    const parent = row[tree.parent]
    if (keyString(parent) === undefined) return levels.flat()
    const [found] = await store.find([parent], live())
    if (found === undefined) throw new ConflictError(messageOf('conflict_parent'))
    const above = [found, ...await ancestorsOf(store, tree, found)]
    if (above.length + 1 + levels.length > tree.depth) throw new ConflictError(messageOf('conflict_parent.depth'))
    return levels.flat()
  }
}

/**
 * Returns the keys of all rows that a move will lock, as of before its transaction; none above a parent that is out of
 * the caller's scope, or that the rows do not fit under.
 *
 * Locked at once, and so in the order of their keys, they let two callers who move rows towards one another wait in
 * turn; without this a database would find out only after a while that each waits for the other, and undo one of them.
 *
 * @throws NotFoundError for a row that is out of the scope.
 */
export async function keysOfMove(
  call: Call,
  tree: Tree,
  { ids = [], sent }: WriteTarget,
  live: Conditions,
): Promise<unknown[]> {
  const { store, plan: { scopes } } = call
  const parents = new Map(
    sent.map((fields) => valueOf(fields, tree.parent)).map((parent) => [keyString(parent), parent] as const),
  )
  parents.delete(undefined)
  if (parents.size === 0) return []
  const scope = await scopes.ofNew(call)
  const rows = await loadInScope(store, ids, scope)
  if (rows.length > 0 && rows.every((row) => parents.has(keyString(row[tree.parent])))) return []
  const moved = new Set(rows.map((row) => keyString(row[store.key])))
  const levels = await levelsOf(store, tree, rows, live)
  const keys: unknown[] = []
  for (const parent of await store.find([...parents.values()], scope)) {
    const above = [parent, ...await ancestorsOf(store, tree, parent)]
    const fits = above.length + levels <= tree.depth && !above.some((each) => moved.has(keyString(each[store.key])))
    if (fits) keys.push(...above.map((each) => each[store.key]))
  }
  return [...new Map([...ids, ...keys].map((key) => [keyString(key), key])).values()]
}

/** Returns the number of levels of rows and their descendants; infinitely many where there are too many descendants. */
async function levelsOf(store: Rows, tree: Tree, rows: readonly Row[], live: Conditions): Promise<number> {
  try {
    return (await descendantsOf(store, tree, rows, live)).length + 1
  } catch (error) {
    if (error instanceof ConflictError) return Infinity
    throw error
  }
}
