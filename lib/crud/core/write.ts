import { readIds, type CheckTime, type Reply } from '../../core/index.js'
import type { Call, CrudHandler, CrudPlan } from './feature.js'
import type { Row } from './any-resource.js'
import { successReply, toRecordReply, toShownReply, withHeaders, type RecordReply } from './output.js'
import { asStored, CREATING, rowWriter } from './row-writer.js'
import { changeSingle, createSingle, singleOf } from './single.js'
import { inTransaction, preconditionOf, type Done } from './transaction.js'
import { checkNewBody, readOnlyInBody } from './unknown-fields.js'

/** The most rows of one bulk call. */
export const MOST_ROWS = 100

export function createHandler(plan: CrudPlan): CrudHandler {
  const singleWrites = lazily(() => singleOf(plan, 'create'))
  return async (call, args): Promise<Row> => {
    const single = singleWrites()
    await checkNewBody(call, args)
    const created = await inTransaction(call, {
      action: 'create',
      target: { sent: [args] },
      attempt: single && ((checkTime) => replySingle(call, createSingle(call, args, single, checkTime))),
      run: async (inside) => replyWritten(inside, CREATING, [await (await rowWriter(inside)).create(args)]),
    })
    return withHeaders(call, created)
  }
}

/** Returns the handler of `edit`, which replaces a row, or of `store`, which writes the fields that were sent. */
export function changeHandler(plan: CrudPlan, action: 'edit' | 'store'): CrudHandler {
  const singleWrites = lazily(() => singleOf(plan, action))
  return async (call, { id, ...sent }): Promise<Row> => {
    const single = singleWrites()
    const precondition = await preconditionOf(call, [id])
    const readOnly = await readOnlyInBody(call, action)
    const attempt = single && readOnly === undefined
      ? (checkTime: CheckTime) => replySingle(call, changeSingle(call, { action, id, sent }, single, checkTime))
      : undefined
    const changed = await inTransaction(call, {
      action,
      target: { ids: [id], sent: [sent] },
      attempt,
      run: async (inside) => {
        const writer = await rowWriter(inside)
        const [found = {}] = await writer.load(action, [id], precondition)
        return replyWritten(inside, [action], [await writer.change(action, found, sent, readOnly)])
      },
    })
    return withHeaders(call, changed)
  }
}

/** Makes a value when it is first needed: a resource that is declared later may add hooks to this one. */
function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => (made ??= { value: make() }).value
}

/** Makes the reply about the first of rows that were written, as the hooks `after` of these actions have left them. */
export async function replyWritten(
  call: Call,
  actions: readonly string[],
  written: readonly Row[],
): Promise<Done<RecordReply>> {
  const rows = await asStored(call, actions, written)
  const [row = {}] = rows
  return { rows, reply: await toRecordReply(call, row) }
}

/** Makes the reply about a row that was written by one statement, `undefined` if none was. */
async function replySingle(call: Call, written: Promise<Row | undefined>): Promise<Done<RecordReply> | undefined> {
  const row = await written
  return row && { rows: [row], reply: await toShownReply(call, row) }
}

export const deleteHandler: CrudHandler = async (call, { id }): Promise<null> => {
  await deleteAll(call, [id])
  return null
}

export const deleteManyHandler: CrudHandler = async (call): Promise<Reply> => {
  const ids = await readIds(call.req, call.plan.schemas.id, MOST_ROWS)
  return successReply(call, 'Deleted', null, { deleted: await deleteAll(call, ids) })
}

/**
 * Deletes all of these rows or none, each scoped and checked like a single one, and returns how many rows were deleted.
 */
async function deleteAll(call: Call, ids: readonly unknown[]): Promise<number> {
  const precondition = await preconditionOf(call, ids)
  return inTransaction(call, {
    action: 'delete',
    target: { ids, sent: [] },
    run: async (inside) => {
      const writer = await rowWriter(inside)
      const rows = await writer.deleteAll(await writer.load('delete', ids, precondition))
      return { rows, reply: rows.length }
    },
  })
}
