import type { Request, Response } from 'express'
import { deleteRows } from '../delete-rows.js'
import { onEach } from '../hooks.js'
import { load, type CrudPlan } from '../plan.js'
import { inTransaction } from '../transaction.js'
import { checkAllowed, type Bin } from './bin.js'

/** The handler of `trash`: deletes for good what is in the bin. */
export function emptyHandler(plan: CrudPlan, bin: Bin) {
  return async (req: Request, _res: Response, { id }: { readonly id: unknown }): Promise<null> => {
    await checkAllowed(bin, req)
    await inTransaction(plan, req, 'trash', async (store) => {
      const context = { req, action: 'trash', store } as const
      const scope = await plan.scopes.ofBin(req)
      const rows = await load(store, [id], scope)
      await onEach(rows, plan.options.check, context)
      return deleteRows(plan, context, rows, scope)
    })
    return null
  }
}
