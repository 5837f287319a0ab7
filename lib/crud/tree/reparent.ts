import { onEach, type HookContext } from '../hooks.js'
import { nextVersion } from '../if-match/version.js'
import type { LooseRow } from '../options.js'
import type { CrudPlan } from '../plan.js'
import { blaming, NO_PART } from '../violations.js'
import { hasChildren } from './dependents.js'
import type { Tree } from './tree.js'
import { ancestorsOf, childrenOf, textOf } from './walk.js'

/**
 * Gives the children of rows that are about to be deleted, soft-deleted children included, to the nearest ancestor that stays. Each child
 * is changed, so that it is checked like any partial update.
 *
 * @throws ConflictError `conflict_children` where a child is out of the caller's scope.
 */
export async function reparentChildren(plan: CrudPlan, tree: Tree, { req, store }: HookContext<LooseRow, unknown>, rows: readonly LooseRow[]): Promise<void> {
  const going = new Map(rows.map((row) => [textOf(row[store.key]), row]))
  const targets = new Map<string | undefined, unknown>()
  for (const row of rows) {
    const last = lastGoing(row, tree, going)
    const [target] = last === undefined ? [] : await ancestorsOf(store, tree, last)
    targets.set(textOf(row[store.key]), target?.[store.key] ?? null)
  }
  const children = await childrenOf(store, tree, rows, [])
  const own = await store.find(children.map((child) => child[store.key]), await plan.scopes.ofAny(req))
  if (own.length < children.length) throw hasChildren()
  await onEach(own.filter((child) => !going.has(textOf(child[store.key]))), plan.options.check, { req, action: 'store', store })
  for (const child of own) {
    const changes = { [tree.parent]: targets.get(textOf(child[tree.parent])), ...nextVersion(plan.options, child) }
    await blaming(plan, req, NO_PART, () => store.update(child[store.key], changes))
  }
}

/** Returns the uppermost of the rows that go, from this one upwards without a gap; `undefined` where they stand in a circle. */
function lastGoing(row: LooseRow, { parent }: Tree, going: ReadonlyMap<string | undefined, LooseRow>): LooseRow | undefined {
  let last = row
  for (let steps = 0; steps <= going.size; steps++) {
    const above = going.get(textOf(last[parent]))
    if (above === undefined) return last
    last = above
  }
  return undefined
}
