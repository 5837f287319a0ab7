import type { Request, Response } from 'express'
import { ConflictError, messageOf, NotFoundError } from '../../../core/index.js'
import type { CrudPlan } from '../../feature.js'
import { type AnyContext, type AnyStore, type Conditions, onEach, type Row, type Rows } from '../../options.js'
import { toRecordReply, withHeaders } from '../../output.js'
import { columnsOfChange, deleteRows, tellChanged } from '../../row-writer.js'
import { deniedFields } from '../../rules.js'
import { checkInScope, loadInScope, withoutLocks } from '../../scope.js'
import { inTransaction } from '../../transaction.js'
import { NO_FIELDS, reportingViolations } from '../../violations.js'
import { checkAllowed, type SoftDelete } from './options.js'

const SECOND = 1000

/**
 * Marks rows as deleted, all with the same time.
 *
 * Rows with one time were deleted together, so the time differs from that of each dependent that was deleted before.
 */
export async function markRows(
  plan: CrudPlan,
  { field, deleted }: SoftDelete,
  { req, store }: AnyContext,
  rows: readonly Row[],
): Promise<void> {
  const [first, ...others] = rows
  if (first === undefined) return
  const mark = async (row: Row, time: Date): Promise<Date> => {
    const columns = { [field]: time, ...columnsOfChange(plan, row) }
    const marked = await reportingViolations(plan, req, NO_FIELDS, () => store.update(row[store.key], columns))
    if (marked === undefined) throw new NotFoundError()
    return marked[field] as Date
  }
  const last = await lastDeletion(plan, store, deleted, field, rows)
  let time = await mark(first, new Date(Math.max(Date.now(), last + 1)))
  // A column of whole seconds has cut the millisecond off.
  if (Number(time) <= last) time = await mark(first, new Date(last + SECOND))
  for (const row of others) await mark(row, time)
}

/** Returns the latest time at which a dependent of these rows was deleted. */
async function lastDeletion(
  { features }: CrudPlan,
  store: AnyStore,
  deleted: Conditions,
  field: string,
  rows: readonly Row[],
): Promise<number> {
  let last = -Infinity
  for (const { dependents } of features) {
    const below = dependents?.conditionOf(rows)
    const [row] = below === undefined
      ? []
      : await store.list({ where: [...deleted, ...below], order: [`-${field}`, store.key] }).slice(0, 1)
    if (row !== undefined) last = Math.max(last, Number(row[field]))
  }
  return last
}

/** Returns the handler of `restore`, which restores a row and the rows that were deleted because of it. */
export function restoreHandler(plan: CrudPlan, settings: SoftDelete) {
  const { options } = plan
  return async (req: Request, res: Response, { id }: { readonly id: unknown }): Promise<Row> => {
    await checkAllowed(settings, req)
    const reply = await inTransaction(plan, req, 'restore', async (store) => {
      const context = { req, action: 'restore', store } as const
      const stored = await plan.scopes.ofStored(req, store)
      const scope = [...stored, ...settings.deleted]
      const [found = {}] = await loadInScope(store, [id], scope)
      await options.check?.(found, context)
      if (stored.length > 0) await restoredWith(plan, settings, withoutLocks(store), found, scope)
      const rows = [found, ...await restoredWith(plan, settings, store, found, scope)]
      await onEach(rows.slice(1), options.check, context)
      await onEach(rows, options.before?.restore, context)
      const restored: Row[] = []
      for (const each of rows) restored.push(await unmark(plan, settings, context, each))
      await checkInScope(store, restored, [...stored, ...settings.live])
      await tellChanged(plan, context, restored)
      await onEach(restored, options.after?.restore, context)
      const [row = found] = restored
      return { rows: restored, reply: await toRecordReply(plan, row, req, store.db) }
    })
    return withHeaders(res, reply)
  }
}

/**
 * Restores one row; where another row uses a unique value of it by now, the conflict is reported like that of any
 * partial update.
 */
async function unmark(plan: CrudPlan, { field }: SoftDelete, { req, store }: AnyContext, row: Row): Promise<Row> {
  const { options, schemas } = plan
  const denied = await deniedFields(req, options.fields, 'write')
  const part = { isOwn: (name: string) => Object.hasOwn(schemas.store.shape, name) && !denied.has(name), sent: row }
  const columns = { [field]: null, ...columnsOfChange(plan, row) }
  const restored = await reportingViolations(plan, req, part, () => store.update(row[store.key], columns))
  if (restored === undefined) throw new NotFoundError()
  return restored
}

/**
 * Returns the dependents that were deleted together with a row.
 *
 * @throws ConflictError where the row no longer fits, or some of its dependents are not in the caller's scope.
 */
async function restoredWith(
  { features }: CrudPlan,
  { field }: SoftDelete,
  store: Rows,
  row: Row,
  scope: Conditions,
): Promise<Row[]> {
  const others: Row[] = []
  for (const { dependents } of features) {
    others.push(...await dependents?.restoredWith(store, row, [[field, '=', row[field]]]) ?? [])
  }
  const inScope = others.length === 0 ? [] : await store.find(others.map((other) => other[store.key]), scope)
  if (inScope.length < others.length) throw new ConflictError(messageOf('conflict_children.scope'))
  return others
}

/** Returns the handler of `purge`, which removes a soft-deleted row from the store. */
export function purgeHandler(plan: CrudPlan, settings: SoftDelete) {
  return async (req: Request, _res: Response, { id }: { readonly id: unknown }): Promise<null> => {
    await checkAllowed(settings, req)
    return inTransaction(plan, req, 'purge', async (store) => {
      const context = { req, action: 'purge', store } as const
      const scope = [...await plan.scopes.ofStored(req, store), ...settings.deleted]
      const rows = await loadInScope(store, [id], scope)
      await onEach(rows, plan.options.check, context)
      return { rows: await deleteRows(plan, { context, scope, isFinal: true }, rows), reply: null }
    })
  }
}
