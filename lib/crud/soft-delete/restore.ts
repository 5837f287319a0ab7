import type { Request, Response } from 'express'
import { ConflictError, NotFoundError } from '../../errors.js'
import { deniedFields } from '../field-rules.js'
import { onEach, type HookContext } from '../hooks.js'
import { presentTagged, setTag } from '../if-match/tag.js'
import { nextVersion } from '../if-match/version.js'
import type { LooseRow, LooseStore } from '../options.js'
import { load, type CrudPlan } from '../plan.js'
import { inTransaction } from '../transaction.js'
import { checkReturn } from '../tree/place.js'
import { descendantsOf } from '../tree/walk.js'
import { MOST_ROWS } from '../write.js'
import { blaming } from '../violations.js'
import { checkAllowed, type SoftDelete } from './soft-delete.js'

/** Returns the handler of `restore`, which restores a row and the rows that were deleted because of it. */
export function restoreHandler(plan: CrudPlan, softDelete: SoftDelete) {
  const { options, scopes } = plan
  return async (req: Request, res: Response, { id }: { readonly id: unknown }): Promise<LooseRow> => {
    await checkAllowed(softDelete, req)
    const tagged = await inTransaction(plan, req, 'restore', async (store) => {
      const context = { req, action: 'restore', store } as const
      const [found = {}] = await load(store, [id], await scopes.ofDeleted(req, store))
      await options.check?.(found, context)
      const rows = [found, ...await together(plan, softDelete, store, found, req)]
      await onEach(rows.slice(1), options.check, context)
      await onEach(rows, options.before?.restore, context)
      const restored: LooseRow[] = []
      for (const each of rows) restored.push(await undelete(plan, softDelete, context, each))
      await onEach(restored, options.after?.restore, context)
      const [row = found] = restored
      return { rows: restored, reply: await presentTagged(plan, row, req, store.db) }
    })
    return setTag(res, tagged)
  }
}

/** Restores one row; where a value of it is taken meanwhile, the conflict is told like that of any partial update. */
async function undelete(plan: CrudPlan, { field }: SoftDelete, { req, store }: HookContext<LooseRow, unknown>, row: LooseRow): Promise<LooseRow> {
  const { options, schemas } = plan
  const denied = await deniedFields(req, options.fields, 'write')
  const part = { isOwn: (name: string) => Object.hasOwn(schemas.store.shape, name) && !denied.has(name), sent: row }
  const restored = await blaming(plan, req, part, () => store.update(row[store.key], { [field]: null, ...nextVersion(options, row) }))
  if (restored === undefined) throw new NotFoundError()
  return restored
}

/**
 * Returns the descendants that were deleted together with a row.
 *
 * @throws ConflictError where the row no longer fits its place in the tree, or some of its descendants are not in the caller's scope.
 */
async function together({ tree, scopes }: CrudPlan, { field, live }: SoftDelete, store: LooseStore, row: LooseRow, req: Request): Promise<LooseRow[]> {
  if (tree === undefined) return []
  // A bulk call may have deleted other rows at the same time, each with its descendants.
  const whole = { ...tree, size: tree.size + MOST_ROWS }
  const levels = tree.onDelete === 'cascade' ? await descendantsOf(store, whole, [row], [[field, '=', row[field]]]) : []
  await checkReturn(store, tree, row, 1 + levels.length, live)
  const others = levels.flat()
  const reached = await store.find(others.map((other) => other[store.key]), await scopes.ofDeleted(req, store))
  if (reached.length < others.length) throw new ConflictError('A child that was deleted with this record is not yours to restore', { reason: 'conflict_children' })
  return others
}
