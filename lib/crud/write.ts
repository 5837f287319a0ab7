import type { Request, Response } from 'express'
import { reply, type Reply } from '../reply.js'
import { RequestParam } from '../request-param.js'
import { preconditionOf } from './if-match/precondition.js'
import { presentTagged } from './if-match/tag.js'
import type { LooseRow } from './options.js'
import type { CrudPlan } from './plan.js'
import { rowWriter } from './row-writer.js'
import { inTransaction } from './transaction.js'

/** The most rows of one bulk call. */
export const MOST_ROWS = 100

type Handler<Result> = (req: Request, res: Response, args: object) => Promise<Result>

/** The handler of `create`. */
export function createHandler(plan: CrudPlan): Handler<LooseRow> {
  return async (req, res, args) => {
    const [row = {}] = await inTransaction(plan, req, 'create', async (store) => [await (await rowWriter(plan, req, store)).create(args)], { sent: [args as LooseRow] })
    return presentTagged(plan, row, req, res)
  }
}

/** The handler of `edit`, which replaces, and of `store`, which changes what was sent. */
export function changeHandler(plan: CrudPlan, action: 'edit' | 'store'): Handler<LooseRow> {
  return async (req, res, args) => {
    const { id, ...sent } = args as LooseRow
    const precondition = await preconditionOf(plan, req, [id])
    const [row = {}] = await inTransaction(plan, req, action, async (store) => {
      const writer = await rowWriter(plan, req, store)
      const [found = {}] = await writer.load(action, [id], precondition)
      return [await writer.change(action, found, sent)]
    }, { ids: [id], sent: [sent] })
    return presentTagged(plan, row, req, res)
  }
}

/** The handler of `delete`. */
export function deleteHandler(plan: CrudPlan): Handler<null> {
  return async (req, _res, args) => {
    await deleteAll(plan, req, [(args as LooseRow).id])
    return null
  }
}

/** The handler of `deleteMany`. */
export function deleteManyHandler(plan: CrudPlan): Handler<Reply> {
  return async (req) => {
    const ids = RequestParam.ids(req, { of: plan.schemas.id, max: MOST_ROWS })
    const rows = await deleteAll(plan, req, ids)
    return reply('Deleted', null, { deleted: rows.length })
  }
}

/** All or none: each is scoped and judged as if it were the only one. */
async function deleteAll(plan: CrudPlan, req: Request, ids: readonly unknown[]): Promise<LooseRow[]> {
  const precondition = await preconditionOf(plan, req, ids)
  return inTransaction(plan, req, 'delete', async (store) => {
    const writer = await rowWriter(plan, req, store)
    return writer.deleteAll(await writer.load('delete', ids, precondition))
  })
}
