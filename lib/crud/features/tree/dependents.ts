import { ConflictError, messageOf } from '../../../core/index.js'
import { checkInScope, columnsOfChange, NO_FIELDS, onEach, reportingViolations, withoutLocks, type Call,
  type Conditions, type Dependents, type Row, type Rows } from '../../core/index.js'
import type { Tree } from './options.js'
import { ancestorsOf, childrenOf, descendantsOf, keyString } from './walk.js'

/**
 * Returns a function that finds the rows that are deleted with others, level by level; `among` is a condition on the
 * rows that count as children.
 *
 * It throws ConflictError `conflict_children` where a child stays, or a descendant is out of the caller's scope.
 */
export function descendantsToDelete(tree: Tree): Dependents['deletedWith'] {
  return async (store, rows, among, scope) => {
    if (tree.onDelete === 'reparent') return []
    if (tree.onDelete === 'restrict') {
      const deleted = new Set(rows.map((row) => keyString(row[store.key])))
      const children = await childrenOf(store, tree, rows, among)
      if (children.some((child) => !deleted.has(keyString(child[store.key])))) throw hasChildren()
      return []
    }
    const descendants = (await descendantsOf(store, tree, rows, among)).flat()
    const keys = descendants.map((row) => row[store.key])
    if (scope.length > 0 && (await store.find(keys, scope)).length < keys.length) throw hasChildren()
    return descendants
  }
}

function hasChildren(): ConflictError {
  return new ConflictError(messageOf('conflict_children'))
}

/**
 * Gives the children of rows that are about to be deleted, soft-deleted children included, to the nearest ancestor that
 * stays. Each child is changed, so that it is checked like any partial update.
 *
 * @throws ConflictError `conflict_children` where a child is out of the caller's scope.
 */
export async function detachChildren(call: Call, tree: Tree, rows: readonly Row[]): Promise<void> {
  const { store, plan } = call
  const deleted = new Map(rows.map((row) => [keyString(row[store.key]), row]))
  const scope = await plan.scopes.ofAny(call)
  if (scope.length > 0) await childrenInScope(withoutLocks(store), tree, rows, scope)
  const children = await childrenInScope(store, tree, rows, scope)
  const staying = children.filter((child) => !deleted.has(keyString(child[store.key])))
  await onEach(staying, plan.options.check, call.context('store'))
  const newParents = new Map<string | undefined, unknown>()
  for (const row of rows) {
    const last = lastDeleted(row, tree, deleted)
    const [above] = last === undefined ? [] : await ancestorsOf(store, { ...tree, depth: 0 }, last)
    newParents.set(keyString(row[store.key]), above?.[store.key] ?? null)
  }
  for (const child of children) {
    const columns = { [tree.parent]: newParents.get(keyString(child[tree.parent])), ...columnsOfChange(plan, child) }
    const moved = await reportingViolations(call, NO_FIELDS, () => store.update(child[store.key], columns))
    if (moved !== undefined) await checkInScope(store, [moved], scope)
  }
}

/** Returns the children of rows. @throws ConflictError `conflict_children` where one is out of the scope */
async function childrenInScope(store: Rows, tree: Tree, rows: readonly Row[], scope: Conditions): Promise<Row[]> {
  const children = await childrenOf(store, tree, rows, [])
  const inScope = await store.find(children.map((child) => child[store.key]), scope)
  if (inScope.length < children.length) throw hasChildren()
  return inScope
}

/**
 * Returns the uppermost of the deleted rows, from this one upwards without a gap; `undefined` where they form a cycle.
 */
function lastDeleted(row: Row, { parent }: Tree, deleted: ReadonlyMap<string | undefined, Row>): Row | undefined {
  let last = row
  for (let steps = 0; steps <= deleted.size; steps++) {
    const above = deleted.get(keyString(last[parent]))
    if (above === undefined) return last
    last = above
  }
  return undefined
}

/** Returns rows in batches, the lowest level first, so that no foreign key refers to a row that is gone. */
export function childrenFirst(rows: readonly Row[], key: string, parent: string): Row[][] {
  const byKey = new Map(rows.map((row) => [keyString(row[key]), row]))
  const levelOf = (row: Row): number => {
    let level = 0
    for (
      let above = byKey.get(keyString(row[parent]));
      above !== undefined && level < rows.length;
      above = byKey.get(keyString(above[parent]))
    ) level++
    return level
  }
  const levels = new Map<number, Row[]>()
  for (const row of rows) {
    const level = levelOf(row)
    levels.set(level, levels.get(level) ?? [])
    levels.get(level)?.push(row)
  }
  return [...levels].sort(([one], [other]) => other - one).map(([, batch]) => batch)
}
