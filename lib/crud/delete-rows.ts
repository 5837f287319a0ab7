import { erase } from './erase.js'
import { onEach, type HookContext } from './hooks.js'
import type { LooseRow, LooseWhere } from './options.js'
import type { CrudPlan } from './plan.js'
import { mark } from './soft-delete/mark.js'
import { dependentsOf } from './tree/dependents.js'
import { reparentChildren } from './tree/reparent.js'

/** `delete` marks rows where the resource has `softDelete`, `purge` removes marked rows. */
interface Deleting extends HookContext<LooseRow, unknown> {
  readonly action: 'delete' | 'purge'
}

/** Deletes rows that were loaded and checked, and in a tree what is to go with them; says what is gone. */
export async function deleteRows(plan: CrudPlan, context: Deleting, named: readonly LooseRow[], scope: LooseWhere): Promise<LooseRow[]> {
  const { options, softDelete, tree } = plan
  const { action, store } = context
  const rows = [...named, ...await dependents(plan, context, named, scope)]
  await onEach(rows, options.before?.[action], context)
  if (tree?.onDelete === 'reparent') await reparentChildren(plan, tree, context, rows)
  if (softDelete !== undefined && action === 'delete') await mark(plan, softDelete, context, rows)
  else await erase(store, tree, rows)
  await onEach(rows, options.after?.[action], context)
  return rows
}

/** What goes with these rows, each judged like them; a deletion leaves soft-deleted rows alone. */
async function dependents({ options, tree, softDelete }: CrudPlan, context: Deleting, rows: readonly LooseRow[], scope: LooseWhere): Promise<LooseRow[]> {
  if (tree === undefined) return []
  const below = context.action === 'delete' && softDelete !== undefined ? softDelete.live : []
  const found = await dependentsOf(context.store, tree, rows, below, scope)
  await onEach(found, options.check, context)
  return found
}
