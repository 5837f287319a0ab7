import { NotFoundError } from '../../core/index.js'
import { withoutUndefined } from '../contract/checks.js'
import { loadInScope } from './call.js'
import { fieldSplitter, rowCreator, type RowCreator } from './create-rows.js'
import type { Call, CrudPlan, Precondition } from './feature.js'
import { keyText } from './key-text.js'
import { merge, onEach, type Conditions, type Row } from './any-resource.js'
import { checkInScope, withoutLocks } from './scope.js'
import { checkReadOnly } from './unknown-fields.js'
import { NO_FIELDS, reportingViolations, type CallerPart } from './violations.js'
import { columnsOfHook, schemaOf, writableBy, type CallerInput } from './writable.js'

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

/** Makes the writer of a call: scope and field rules are evaluated once for all rows. */
export async function rowWriter(call: Call): Promise<RowWriter> {
  const { store, plan, plan: { options: { before, after, check }, features } } = call
  const writable = await writableBy(call)
  const { scope, fieldsOfChange, columnsToChange, callerPart } = writable
  const beforeWrite = async (columns: Row, found?: Row): Promise<void> => {
    for (const feature of features) await feature.beforeWrite?.({ call, columns, found, scope })
  }
  const write = async (found: Row, sent: Row, input: CallerInput): Promise<Row> => {
    const columns = withoutUndefined(sent)
    await beforeWrite(columns, found)
    const updated = await updateRow(call, found, columns, callerPart(input))
    await checkInScope(store, [updated], scope)
    return updated
  }
  const writeRelated = async (row: Row, isNew: boolean, fields: Row): Promise<void> => {
    for (const feature of features) await feature.writeRelated?.(call, { row, isNew, fields })
  }
  const splitFields = fieldSplitter(plan)
  return {
    ...rowCreator(call, { ...writable, beforeWrite, splitFields, writeRelated }),
    async load(action, keys, precondition) {
      const rows = await loadInScope(store, keys, scope)
      await onEach(rows, check, call.context(action))
      for (const row of rows) await precondition(row, call)
      return rows
    },
    async change(action, found, sent, readOnly) {
      const context = call.context(action)
      await checkReadOnly(call, found, readOnly)
      const allFields = await fieldsOfChange(action, sent)
      const [fields] = splitFields(allFields)
      // A replacement empties what it leaves out: columns, and rows that features keep.
      const [whole, related] = splitFields(columnsToChange(action, allFields, allFields))
      const returned = await before?.[action]?.(fields, { ...context, row: found })
      const changes = columnsOfHook(`before.${action}`, returned, fields)
      const [ownColumns] = splitFields(columnsToChange(action, changes, allFields))
      const columns = withoutUndefined(ownColumns)
      const input = { schema: schemaOf(plan, action), sent: whole }
      // An empty partial update changes nothing, not even the version.
      const isEmpty = action === 'store' && Object.keys({ ...columns, ...related }).length === 0
      const updated = isEmpty ? found : await write(found, columns, input)
      await writeRelated(updated, false, related)
      await after?.[action]?.(updated, context)
      if (after?.[action] !== undefined || Object.keys(related).length > 0) await checkStays(call, updated)
      return updated
    },
    write,
    deleteAll: (rows) => deleteRows(call, { action: 'delete', scope, isFinal: false }, rows),
  }
}

/**
 * Checks that a changed row is in the scope once its hook `after` has run, and the rows that belong to it are written;
 * a hook may also have deleted it.
 *
 * @throws ForbiddenError
 */
export async function checkStays(call: Call, { [call.store.key]: key }: Row): Promise<void> {
  const { store, plan: { scopes } } = call
  const scope = await scopes.ofAny(call)
  const rows = scope.length === 0 ? [] : await store.find([key])
  if (rows.length > 0) await checkInScope(store, rows, scope)
}

/**
 * Writes columns of a loaded row, and what features write with every change.
 *
 * @throws NotFoundError if it does not exist any more.
 */
export async function updateRow(call: Call, row: Row, columns: Row, part: CallerPart): Promise<Row> {
  const { store, plan } = call
  const changes = { ...columns, ...columnsOfChange(plan, row) }
  const updated = await reportingViolations(call, part, () => store.update(row[store.key], changes))
  if (updated === undefined) throw new NotFoundError()
  return updated
}

/** Returns the columns that features write with every change of this row, such as its version. */
export function columnsOfChange({ features }: CrudPlan, row: Row): Row {
  return merge(features.map((feature) => feature.columnsOfChange?.(row)))
}

/** A deletion; one that is final removes rows from the store, without the `deleteRows` of features. */
interface Deletion {
  readonly action: string
  readonly scope: Conditions
  readonly isFinal: boolean
}

/** Deletes rows that were loaded and checked, with their dependents, and returns all that were deleted. */
export async function deleteRows(call: Call, deletion: Deletion, loaded: readonly Row[]): Promise<Row[]> {
  const { options: { before, after }, features } = call.plan
  const { action, isFinal } = deletion
  const context = call.context(action)
  const rows = [...loaded, ...await dependentsOf(call, deletion, loaded)]
  await onEach(rows, before?.[action], context)
  for (const { dependents } of features) await dependents?.detach(call, rows)
  const deleteInstead = isFinal ? undefined : features.find((feature) => feature.deleteRows !== undefined)?.deleteRows
  await (deleteInstead ?? removeRows)(call, rows)
  await tellChanged(call, rows)
  await onEach(rows, after?.[action], context)
  return rows
}

/** Tells features that rows were deleted or restored, or that rows which belong to them were changed. */
export async function tellChanged(call: Call, rows: readonly Row[]): Promise<void> {
  for (const { rowsChanged } of call.plan.features) await rowsChanged?.(call, rows)
}

/**
 * Returns the dependents that are deleted with these rows, each checked like them; a deletion that is not final ignores
 * rows that are not live.
 */
async function dependentsOf(
  call: Call,
  { action, scope, isFinal }: Deletion,
  rows: readonly Row[],
): Promise<Row[]> {
  const { store, plan: { options, features } } = call
  const among = isFinal ? [] : features.flatMap(({ live = [] }) => live)
  const found: Row[] = []
  for (const { dependents } of features) {
    if (scope.length > among.length) await dependents?.deletedWith(withoutLocks(store), rows, among, scope)
    for (const row of await dependents?.deletedWith(store, rows, among, scope) ?? []) found.push(row)
  }
  await onEach(found, options.check, call.context(action))
  return found
}

/** Removes what features keep for rows, and returns the keys of those rows that were removed with it, as strings. */
async function removeRelated(call: Call, rows: readonly Row[]): Promise<ReadonlySet<string>> {
  const { store, plan: { features } } = call
  const gone = new Set<string>()
  for (const { beforeRemoval } of features) {
    for (const row of await beforeRemoval?.(call, rows) ?? []) gone.add(keyText(row[store.key]))
  }
  return gone
}

/** Removes rows from the store, all or none. */
async function removeRows(call: Call, rows: readonly Row[]): Promise<void> {
  const { store, plan: { features } } = call
  const gone = await removeRelated(call, rows)
  const ordered = features.find(({ dependents }) => dependents !== undefined)?.dependents?.deletionOrder(rows)
  for (const batch of ordered ?? [rows]) {
    const keys = batch.map((row) => row[store.key]).filter((key) => !gone.has(keyText(key)))
    if (keys.length === 0) continue
    const removed = await reportingViolations(call, NO_FIELDS, () => store.delete(keys))
    if (removed < keys.length) throw new NotFoundError()
  }
}

/**
 * Returns rows as they are stored after the hook `after` of one of these actions has run, which may have written them;
 * without such a hook, and for a row that the hook has deleted, as they were written.
 */
export async function asStored(
  { store, plan: { options: { after = {} } } }: Call,
  actions: readonly string[],
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (rows.length === 0 || actions.every((action) => after[action] === undefined)) return rows
  const stored = await store.find(rows.map((row) => row[store.key]))
  const byKey = new Map(stored.map((row) => [keyText(row[store.key]), row]))
  return rows.map((row) => byKey.get(keyText(row[store.key])) ?? row)
}

/** The actions whose hooks run for a new row. */
export const CREATING = ['create', 'createMany'] as const
