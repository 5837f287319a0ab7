import type { Request, Response } from 'express'
import { reply, type Reply } from '../../reply.js'
import type { LooseRow } from '../options.js'
import { present, type CrudPlan } from '../plan.js'
import { rowWriter } from '../row-writer.js'
import { inTransaction } from '../transaction.js'
import { indexed } from './indexed.js'

/** The handler of `createMany`: all or none, each a `create` to hooks and rules. */
export function createManyHandler(plan: CrudPlan) {
  return async (req: Request, _res: Response, args: object): Promise<Reply> => {
    const { items } = args as { readonly items: readonly LooseRow[] }
    const rows = await inTransaction(plan, req, 'create', async (store) => {
      const writer = await rowWriter(plan, req, store)
      const created: LooseRow[] = []
      for (const [index, item] of items.entries()) created.push(await indexed('items', index, () => writer.create(item)))
      return created
    }, { sent: items })
    return reply('Created', await present(plan.options, rows, req), { created: rows.length })
  }
}
