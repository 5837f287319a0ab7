import type { Request, Response } from 'express'
import { reply, type Reply } from '../reply.js'
import { RequestParam } from '../request-param.js'
import type { CrudPlan } from './feature.js'
import type { Row } from './options.js'
import { toRecordReply, withHeaders } from './output.js'
import { rowWriter } from './row-writer.js'
import { inTransaction, preconditionOf } from './transaction.js'

/** The most rows of one bulk call. */
export const MOST_ROWS = 100

type Handler<Result> = (req: Request, res: Response, args: object) => Promise<Result>

/** Returns the handler of `create`. */
export function createHandler(plan: CrudPlan): Handler<Row> {
  return async (req, res, args) => {
    const created = await inTransaction(plan, req, 'create', async (store) => {
      const row = await (await rowWriter(plan, req, store)).create(args)
      return { rows: [row], reply: await toRecordReply(plan, row, req, store.db) }
    }, { sent: [args as Row] })
    return withHeaders(res, created)
  }
}

/** Returns the handler of `edit`, which replaces a row, or of `store`, which writes the fields that were sent. */
export function changeHandler(plan: CrudPlan, action: 'edit' | 'store'): Handler<Row> {
  return async (req, res, args) => {
    const { id, ...sent } = args as Row
    const precondition = await preconditionOf(plan, req, [id])
    const changed = await inTransaction(plan, req, action, async (store) => {
      const writer = await rowWriter(plan, req, store)
      const [found = {}] = await writer.load(action, [id], precondition)
      const row = await writer.change(action, found, sent)
      return { rows: [row], reply: await toRecordReply(plan, row, req, store.db) }
    }, { ids: [id], sent: [sent] })
    return withHeaders(res, changed)
  }
}

/** Returns the handler of `delete`. */
export function deleteHandler(plan: CrudPlan): Handler<null> {
  return async (req, _res, args) => {
    await deleteAll(plan, req, [(args as Row).id])
    return null
  }
}

/** Returns the handler of `deleteMany`. */
export function deleteManyHandler(plan: CrudPlan): Handler<Reply> {
  return async (req) => {
    const ids = RequestParam.ids(req, { of: plan.schemas.id, max: MOST_ROWS })
    return reply('Deleted', null, { deleted: await deleteAll(plan, req, ids) })
  }
}

/**
 * Deletes all of these rows or none, each scoped and checked like a single one, and returns how many rows were deleted.
 */
async function deleteAll(plan: CrudPlan, req: Request, ids: readonly unknown[]): Promise<number> {
  const precondition = await preconditionOf(plan, req, ids)
  return inTransaction(plan, req, 'delete', async (store) => {
    const writer = await rowWriter(plan, req, store)
    const rows = await writer.deleteAll(await writer.load('delete', ids, precondition))
    return { rows, reply: rows.length }
  })
}
