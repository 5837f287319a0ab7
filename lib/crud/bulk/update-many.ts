import type { Request, Response } from 'express'
import { reply, type Reply } from '../../reply.js'
import { RequestParam } from '../../request-param.js'
import { preconditionOf } from '../if-match/precondition.js'
import type { LooseRow } from '../options.js'
import { presentAll, type CrudPlan } from '../plan.js'
import { rowWriter } from '../row-writer.js'
import { inTransaction } from '../transaction.js'
import { indexed } from './indexed.js'

/** The handler of `updateMany`: all or none, each a `store` to hooks and rules. */
export function updateManyHandler(plan: CrudPlan) {
  return async (req: Request, _res: Response, args: object): Promise<Reply> => {
    const { ids, data } = args as { readonly ids: readonly unknown[]; readonly data: LooseRow }
    const changes = sentOnly(data, RequestParam.body(req).data)
    const precondition = await preconditionOf(plan, req, ids)
    return inTransaction(plan, req, 'store', async (store) => {
      const writer = await rowWriter(plan, req, store)
      const changed: LooseRow[] = []
      const found = await writer.load('store', ids, precondition)
      for (const [index, row] of found.entries()) changed.push(await indexed('ids', index, () => writer.change('store', row, changes)))
      const shown = await presentAll(plan, changed, req, store.db)
      return { rows: changed, reply: reply('Saved', shown, { updated: changed.length }) }
    }, { ids, sent: [changes] })
  }
}

/** Without the defaults of what was not sent: a change of some fields writes none. */
function sentOnly(data: LooseRow, sent: unknown): LooseRow {
  return Object.fromEntries(Object.entries(data).filter(([name]) => Object.hasOwn(sent as object, name)))
}
