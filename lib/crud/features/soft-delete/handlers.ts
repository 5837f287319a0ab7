import { ConflictError, messageOf } from '../../../core/index.js'
import { checkInScope, checkStays, deleteRows, inTransaction, loadInScope, NO_FIELDS, onEach, preconditionOf,
  replyWritten, tellChanged, updateRow, withHeaders, withoutLocks, type Call, type Conditions, type CrudHandler,
  type CrudPlan, type Precondition, type Row, type Rows } from '../../core/index.js'
import { checkAllowed, type SoftDelete } from './options.js'

const SECOND = 1000

/**
 * Marks rows as deleted, all with the same time.
 *
 * Rows with one time were deleted together, so the time differs from that of each dependent that was deleted before.
 */
export async function markRows(call: Call, { field, deleted }: SoftDelete, rows: readonly Row[]): Promise<void> {
  const [first, ...others] = rows
  if (first === undefined) return
  const mark = async (row: Row, time: Date): Promise<Date> =>
    (await updateRow(call, row, { [field]: time }, NO_FIELDS))[field] as Date
  const last = await lastDeletion(call, deleted, field, rows)
  let time = await mark(first, new Date(Math.max(Date.now(), last + 1)))
  // A column of whole seconds has cut the millisecond off.
  if (Number(time) <= last) time = await mark(first, new Date(last + SECOND))
  for (const row of others) await mark(row, time)
}

/** Returns the latest time at which a dependent of these rows was deleted. */
async function lastDeletion(
  { store, plan: { features } }: Call,
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
export function restoreHandler(plan: CrudPlan, settings: SoftDelete): CrudHandler {
  const { options } = plan
  const restoredWith = dependentsToRestore(plan, settings)
  const restore = async (call: Call, id: unknown, precondition: Precondition): Promise<Row[]> => {
    const { store } = call
    const context = call.context('restore')
    const stored = await plan.scopes.ofStored(call)
    const scope = [...stored, ...settings.deleted]
    const [row = {}] = await loadInScope(store, [id], scope)
    await options.check?.(row, context)
    await precondition(row, call)
    if (stored.length > 0) await restoredWith(withoutLocks(store), row, scope)
    const rows = [row, ...await restoredWith(store, row, scope)]
    await onEach(rows.slice(1), options.check, context)
    await onEach(rows, options.before?.restore, context)
    const restored: Row[] = []
    for (const each of rows) restored.push(await unmark(call, settings, each))
    await checkInScope(store, restored, [...stored, ...settings.live])
    await tellChanged(call, restored)
    await onEach(restored, options.after?.restore, context)
    if (options.after?.restore !== undefined) { for (const each of restored) await checkStays(call, each) }
    return restored
  }
  return async (call, { id }): Promise<Row> => {
    await checkAllowed(settings, call.req)
    const precondition = await preconditionOf(call, [id], true)
    const reply = await inTransaction(call, {
      action: 'restore',
      target: { ids: [id], sent: [] },
      run: async (inside) => replyWritten(inside, ['restore'], await restore(inside, id, precondition)),
    })
    return withHeaders(call, reply)
  }
}

/**
 * Restores one row; where another row uses a unique value of it by now, the conflict is reported like that of any
 * partial update.
 */
async function unmark(call: Call, { field }: SoftDelete, row: Row): Promise<Row> {
  const { schemas } = call.plan
  const denied = await call.denied('write')
  const part = { mayWrite: (name: string) => Object.hasOwn(schemas.store.shape, name) && !denied.has(name), sent: row }
  return updateRow(call, row, { [field]: null }, part)
}

/**
 * Returns a function that finds the dependents that were deleted together with a row.
 *
 * It throws ConflictError where the row no longer fits, or some of its dependents are not in the caller's scope.
 */
function dependentsToRestore(plan: CrudPlan, { field }: SoftDelete) {
  return async (store: Rows, row: Row, scope: Conditions): Promise<Row[]> => {
    const others: Row[] = []
    for (const { dependents } of plan.features) {
      for (const each of await dependents?.restoredWith(store, row, [[field, '=', row[field]]]) ?? []) others.push(each)
    }
    const inScope = others.length === 0 ? [] : await store.find(others.map((other) => other[store.key]), scope)
    if (inScope.length < others.length) throw new ConflictError(messageOf('conflict_children.scope'))
    return others
  }
}

/** Returns the handler of `purge`, which removes a soft-deleted row from the store. */
export function purgeHandler({ options, scopes }: CrudPlan, settings: SoftDelete): CrudHandler {
  return async (call, { id }): Promise<null> => {
    await checkAllowed(settings, call.req)
    const precondition = await preconditionOf(call, [id], true)
    return inTransaction(call, {
      action: 'purge',
      target: { ids: [id], sent: [] },
      run: async (inside) => {
        const scope = [...await scopes.ofStored(inside), ...settings.deleted]
        const rows = await loadInScope(inside.store, [id], scope)
        await onEach(rows, options.check, inside.context('purge'))
        await onEach(rows, precondition, inside)
        return { rows: await deleteRows(inside, { action: 'purge', scope, isFinal: true }, rows), reply: null }
      },
    })
  }
}
