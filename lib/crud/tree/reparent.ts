import { nextVersion } from '../if-match/version.js'
import type { LooseRow, LooseStore } from '../options.js'
import type { CrudPlan } from '../plan.js'
import type { Tree } from './tree.js'
import { ancestorsOf, childrenOf, textOf } from './walk.js'

/** Gives the children of rows that are about to be deleted, soft-deleted children included, to the nearest ancestor that stays. */
export async function reparentChildren({ options }: CrudPlan, tree: Tree, store: LooseStore, rows: readonly LooseRow[]): Promise<void> {
  const going = new Map(rows.map((row) => [textOf(row[store.key]), row]))
  const targets = new Map<string | undefined, unknown>()
  for (const row of rows) {
    const last = lastGoing(row, tree, going)
    const [target] = last === undefined ? [] : await ancestorsOf(store, tree, last)
    targets.set(textOf(row[store.key]), target?.[store.key] ?? null)
  }
  for (const child of await childrenOf(store, tree, rows, [])) {
    await store.update(child[store.key], { [tree.parent]: targets.get(textOf(child[tree.parent])), ...nextVersion(options, child) })
  }
}

/** The uppermost of the rows that go, from this one upwards without a gap; none where they stand in a circle. */
function lastGoing(row: LooseRow, { parent }: Tree, going: ReadonlyMap<string | undefined, LooseRow>): LooseRow | undefined {
  let last = row
  for (let steps = 0; steps <= going.size; steps++) {
    const above = going.get(textOf(last[parent]))
    if (above === undefined) return last
    last = above
  }
  return undefined
}
