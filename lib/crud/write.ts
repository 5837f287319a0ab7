import type { Request, Response } from 'express'
import { reply, RequestParam, type CheckTime, type Reply } from '../core/index.js'
import type { CrudPlan } from './feature.js'
import type { AnyStore, Row } from './options.js'
import { toRecordReply, toShownReply, withHeaders, type RecordReply } from './output.js'
import { rowWriter } from './row-writer.js'
import { changeSingle, createSingle, singleOf } from './single.js'
import { inTransaction, preconditionOf, type Done } from './transaction.js'
import { readOnlyIn } from './unknown-fields.js'

/** The most rows of one bulk call. */
export const MOST_ROWS = 100

type Handler<Result> = (req: Request, res: Response, args: object) => Promise<Result>

/** Returns the handler of `create`. */
export function createHandler(plan: CrudPlan): Handler<Row> {
  const singleWrites = lazily(() => singleOf(plan, 'create'))
  return async (req, res, args) => {
    const single = singleWrites()
    const attempt = single && (async (checkTime: CheckTime) => {
      const row = await createSingle(plan, req, args, single, checkTime)
      return row && { rows: [row], reply: await toShownReply(plan, row, req) }
    })
    const created = await inTransaction(plan, req, 'create', async (store) => {
      const writer = await rowWriter(plan, req, store)
      return doneOne(plan, req, store, await writer.create(args))
    }, { sent: [args as Row] }, attempt)
    return withHeaders(res, created)
  }
}

/** Returns the handler of `edit`, which replaces a row, or of `store`, which writes the fields that were sent. */
export function changeHandler(plan: CrudPlan, action: 'edit' | 'store'): Handler<Row> {
  const singleWrites = lazily(() => singleOf(plan, action))
  return async (req, res, args) => {
    const single = singleWrites()
    const { id, ...sent } = args as Row
    const precondition = await preconditionOf(plan, req, [id])
    const readOnly = await readOnlyIn(plan, req, action)
    const attempt = single && readOnly === undefined
      ? (async (checkTime: CheckTime) => {
        const row = await changeSingle(plan, req, { action, id, sent }, single, checkTime)
        return row && { rows: [row], reply: await toShownReply(plan, row, req) }
      })
      : undefined
    const changed = await inTransaction(plan, req, action, async (store) => {
      const writer = await rowWriter(plan, req, store)
      const [found = {}] = await writer.load(action, [id], precondition)
      return doneOne(plan, req, store, await writer.change(action, found, sent, readOnly))
    }, { ids: [id], sent: [sent] }, attempt)
    return withHeaders(res, changed)
  }
}

/** Makes a value when it is first needed: a resource that is declared later may add hooks to this one. */
function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** Makes the reply about a row that was written by a store. */
async function doneOne(plan: CrudPlan, req: Request, { db }: AnyStore, row: Row): Promise<Done<RecordReply>> {
  return { rows: [row], reply: await toRecordReply(plan, row, req, db) }
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
