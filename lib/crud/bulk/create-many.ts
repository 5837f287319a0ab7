import type { Request, Response } from 'express'
import { reply, type Reply } from '../../reply.js'
import type { LooseRow } from '../options.js'
import { presentAll, type CrudPlan } from '../plan.js'
import { rowWriter } from '../row-writer.js'
import { inTransaction } from '../transaction.js'
import { indexed } from './indexed.js'

/** The handler of `createMany`: all or none, each a `create` to hooks and rules. */
export function createManyHandler(plan: CrudPlan) {
  return async (req: Request, _res: Response, args: object): Promise<Reply> => {
    const { items } = args as { readonly items: readonly LooseRow[] }
    return inTransaction(plan, req, 'create', async (store) => {
      const writer = await rowWriter(plan, req, store)
      const created: LooseRow[] = []
      for (const [index, item] of items.entries()) created.push(await indexed('items', index, () => writer.create(item)))
      const shown = await presentAll(plan, created, req, store.db)
      return { rows: created, reply: reply('Created', shown, { created: created.length }) }
    }, { sent: items })
  }
}
