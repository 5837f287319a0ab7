import type { Request } from 'express'
import { NotFoundError } from '../core/index.js'
import { defined } from './contract/checks.js'
import { relatedSplitter, rowCreator, type RowCreator } from './create-rows.js'
import type { CrudPlan, Precondition } from './feature.js'
import { type AnyContext, type AnyStore, type Conditions, onEach, type Row } from './options.js'
import { checkInScope, loadInScope, withoutLocks } from './scope.js'
import { checkReadOnly } from './unknown-fields.js'
import { NO_FIELDS, reportingViolations } from './violations.js'
import { schemaOf, writableBy, type CallerInput } from './writable.js'

/**
 * Writes rows inside a transaction, each with the scope, the field rules, the check and the hooks of a single write.
 */
export interface RowWriter extends RowCreator {
  /**
   * Loads and locks the rows with these keys, and runs the option `check` and the precondition on each.
   *
   * @throws NotFoundError for all when one is missing.
   */
  load(action: string, keys: readonly unknown[], precondition: Precondition): Promise<Row[]>
  /** `readOnly` are fields that were sent and cannot be written: they must be as they are stored. */
  change(action: 'edit' | 'store', found: Row, sent: Row, readOnly?: Row): Promise<Row>
  /** Writes columns of a loaded row that an action of a feature has made, and what every change writes. */
  write(found: Row, columns: Row, input: CallerInput): Promise<Row>
  /** Deletes loaded rows and their dependents, and returns all that were deleted. */
  deleteAll(rows: readonly Row[]): Promise<Row[]>
}

/** Makes the writer of one request: scope and field rules are evaluated once for all rows. */
export async function rowWriter(plan: CrudPlan, req: Request, store: AnyStore): Promise<RowWriter> {
  const { options: { before, after, check }, features } = plan
  const writable = await writableBy(plan, req, store)
  const { scope, fieldsOfChange, columnsToChange, callerPart } = writable
  const beforeWrite = (columns: Row, found?: Row): Promise<void> =>
    onEach(features, (feature) => feature.beforeWrite?.({ req, store, columns, found, scope }), undefined)
  const write = async (found: Row, given: Row, input: CallerInput): Promise<Row> => {
    const columns = defined(given)
    await beforeWrite(columns, found)
    const updated = await reportingViolations(
      plan,
      req,
      callerPart(input),
      () => store.update(found[store.key], { ...columns, ...columnsOfChange(plan, found) }),
    )
    if (updated === undefined) throw new NotFoundError()
    await checkInScope(store, [updated], scope)
    return updated
  }
  const writeRelated = (row: Row, isNew: boolean, fields: Row): Promise<void> =>
    onEach(features, (feature) => feature.writeRelated?.({ req, store, row, isNew, fields }), undefined)
  const divided = relatedSplitter(plan)
  return {
    ...rowCreator(plan, req, store, { ...writable, beforeWrite, divided, writeRelated }),
    async load(action, keys, precondition) {
      const rows = await loadInScope(store, keys, scope)
      await onEach(rows, check, { req, action, store })
      rows.forEach(precondition)
      return rows
    },
    async change(action, found, sent, readOnly) {
      const context = { req, action, store } as const
      await checkReadOnly(plan, req, store, found, readOnly)
      const all = await fieldsOfChange(action, sent)
      const [fields] = divided(all)
      // What a replacement leaves out is emptied: columns, and rows that features keep.
      const [whole, related] = divided(columnsToChange(action, all, all))
      const given = await before?.[action]?.(fields, { ...context, row: found }) ?? fields
      const [own] = divided(columnsToChange(action, given, all))
      const columns = defined(own)
      const input = { schema: schemaOf(plan, action), sent: whole }
      // An empty partial update changes nothing, not even the version.
      const isEmpty = action === 'store' && Object.keys({ ...columns, ...related }).length === 0
      const updated = isEmpty ? found : await write(found, columns, input)
      await writeRelated(updated, false, related)
      await after?.[action]?.(updated, context)
      return updated
    },
    write,
    deleteAll: (rows) => deleteRows(plan, { context: { req, action: 'delete', store }, scope, isFinal: false }, rows),
  }
}

/** Returns the columns that features write with every change of this row, such as its version. */
export function columnsOfChange({ features }: CrudPlan, row: Row): Row {
  return Object.assign({}, ...features.map((feature) => feature.columnsOfChange?.(row))) as Row
}

/** A deletion; one that is final removes rows from the store, without the `deleteRows` of features. */
interface Deletion {
  readonly context: AnyContext
  readonly scope: Conditions
  readonly isFinal: boolean
}

/** Deletes rows that were loaded and checked, with their dependents, and returns all that were deleted. */
export async function deleteRows(plan: CrudPlan, deletion: Deletion, loaded: readonly Row[]): Promise<Row[]> {
  const { options: { before, after }, features } = plan
  const { context, isFinal } = deletion
  const rows = [...loaded, ...await dependentsOf(plan, deletion, loaded)]
  await onEach(rows, before?.[context.action] as OnRow, context)
  for (const { dependents } of features) await dependents?.detach(context, rows)
  const own = isFinal ? undefined : features.find((feature) => feature.deleteRows !== undefined)?.deleteRows
  await (own === undefined ? removeRows(plan, context, rows) : own(context, rows))
  await tellChanged(plan, context, rows)
  await onEach(rows, after?.[context.action] as OnRow, context)
  return rows
}

/** Tells features that rows were deleted or restored, or that rows which belong to them were changed. */
export async function tellChanged({ features }: CrudPlan, context: AnyContext, rows: readonly Row[]): Promise<void> {
  for (const { rowsChanged } of features) await rowsChanged?.(context, rows)
}

type OnRow = ((row: Row, context: AnyContext) => void | Promise<void>) | undefined

/**
 * Returns the dependents that are deleted with these rows, each checked like them; a deletion that is not final ignores
 * rows that are not live.
 */
async function dependentsOf(
  { options, features }: CrudPlan,
  { context, scope, isFinal }: Deletion,
  rows: readonly Row[],
): Promise<Row[]> {
  const among = isFinal ? [] : features.flatMap(({ live = [] }) => live)
  const found: Row[] = []
  for (const { dependents } of features) {
    if (scope.length > among.length) await dependents?.deletedWith(withoutLocks(context.store), rows, among, scope)
    found.push(...await dependents?.deletedWith(context.store, rows, among, scope) ?? [])
  }
  await onEach(found, options.check, context)
  return found
}

/** Removes rows from the store, all or none. */
async function removeRows(plan: CrudPlan, context: AnyContext, rows: readonly Row[]): Promise<void> {
  const { req, store } = context
  for (const { beforeRemoval } of plan.features) await beforeRemoval?.(context, rows)
  const ordered = plan.features.find(({ dependents }) => dependents !== undefined)?.dependents?.deletionOrder(rows)
  for (const batch of ordered ?? [rows]) {
    const keys = batch.map((row) => row[store.key])
    const removed = await reportingViolations(plan, req, NO_FIELDS, () => store.delete(keys))
    if (removed < keys.length) throw new NotFoundError()
  }
}
