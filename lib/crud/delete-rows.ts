import { erase } from './erase.js'
import { onEach, type Context } from './hooks.js'
import type { LooseRow, LooseWhere } from './options.js'
import type { CrudPlan } from './plan.js'
import { mark } from './trash/mark.js'
import { dependentsOf } from './tree/dependents.js'
import { liftChildren } from './tree/lift.js'

/** `delete` puts rows into the bin where there is one, `trash` deletes what is in it for good. */
interface Deleting extends Context<LooseRow, unknown> {
  readonly action: 'delete' | 'trash'
}

/** Deletes rows that were loaded and checked, and in a tree what is to go with them; says what is gone. */
export async function deleteRows(plan: CrudPlan, context: Deleting, named: readonly LooseRow[], scope: LooseWhere): Promise<LooseRow[]> {
  const { options, bin, tree } = plan
  const { action, store } = context
  const rows = [...named, ...await dependents(plan, context, named, scope)]
  await onEach(rows, options.before?.[action], context)
  if (tree?.onDelete === 'lift') await liftChildren(plan, tree, store, rows)
  if (bin !== undefined && action === 'delete') await mark(plan, bin, store, rows)
  else await erase(store, tree, rows)
  await onEach(rows, options.after?.[action], context)
  return rows
}

/** What goes with these rows, each judged like them; a deletion leaves alone what is in the bin already. */
async function dependents({ options, tree, bin }: CrudPlan, context: Deleting, rows: readonly LooseRow[], scope: LooseWhere): Promise<LooseRow[]> {
  if (tree === undefined) return []
  const below = context.action === 'delete' && bin !== undefined ? bin.outside : []
  const found = await dependentsOf(context.store, tree, rows, below, scope)
  await onEach(found, options.check, context)
  return found
}
