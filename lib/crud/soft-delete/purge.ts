import type { Request, Response } from 'express'
import { deleteRows } from '../delete-rows.js'
import { onEach } from '../hooks.js'
import { load, type CrudPlan } from '../plan.js'
import { inTransaction } from '../transaction.js'
import { checkAllowed, type SoftDelete } from './soft-delete.js'

/** Returns the handler of `purge`, which removes a soft-deleted row from the store. */
export function purgeHandler(plan: CrudPlan, softDelete: SoftDelete) {
  return async (req: Request, _res: Response, { id }: { readonly id: unknown }): Promise<null> => {
    await checkAllowed(softDelete, req)
    return inTransaction(plan, req, 'purge', async (store) => {
      const context = { req, action: 'purge', store } as const
      const scope = await plan.scopes.ofDeleted(req, store)
      const rows = await load(store, [id], scope)
      await onEach(rows, plan.options.check, context)
      return { rows: await deleteRows(plan, context, rows, scope), reply: null }
    })
  }
}
