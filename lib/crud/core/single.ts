import type { CheckTime } from '../../core/index.js'
import { withoutUndefined } from '../contract/checks.js'
import { singleWritesOf } from '../contract/connection.js'
import type { AcceptedColumns, SingleWrites } from '../contract/single-writes.js'
import { acceptedValues } from './accepted.js'
import type { Call, CrudPlan, FeatureHooks, SingleAddition } from './feature.js'
import type { Conditions, Row } from './any-resource.js'
import { DEFAULT_DEADLINE } from './transaction.js'
import { reportingViolations } from './violations.js'
import { columnsOfNew, schemaOf, writableBy } from './writable.js'

/** Writes of one row by one statement, without a transaction: see `contract/single-writes.ts`. */
export interface Single {
  readonly writes: SingleWrites
  /** The values that the output accepts. */
  readonly columns: AcceptedColumns
  /** The deadline of the resource. */
  readonly seconds: number
}

/** The hooks of features that a write by one statement takes into account; any other hook needs a transaction. */
// dprint-ignore
const SUPPORTED_HOOKS: ReadonlySet<string> = new Set<keyof FeatureHooks>([
  'actions', 'wrapAction', 'wrapCustom', 'onBuilt', 'live', 'liveInList', 'pathConditions', 'pathArguments',
  'readPathArguments',
  'hiddenParameters', 'readParameters', 'readList', 'addedFields', 'recordHeaders', 'headings', 'precondition',
  'columnsOfNew', 'columnsOfChange', 'singleChange', 'deleteRows', 'checkedColumns',
])

/**
 * Returns the single writes of an action, `undefined` where each write needs a transaction: a hook, `check` or
 * `transform` of the application runs inside of it, a feature reads or locks rows, or the output may refuse a row for a
 * reason that the database cannot check.
 */
export function singleOf(plan: CrudPlan, action: 'create' | 'edit' | 'store'): Single | undefined {
  const { store, features, schemas: { output }, options: { before, after, check, transform, transformMany } } = plan
  const writes = singleWritesOf(store)
  const isNew = action === 'create'
  const names = isNew ? ['create', 'createMany'] as const : [action]
  const hooks = names.flatMap((name) => [before?.[name], after?.[name]])
  const functions = [...hooks, transform, transformMany, isNew ? undefined : check]
  if (writes === undefined || functions.some((part) => part !== undefined)) return undefined
  if (features.some((feature) => hasOtherHooks(feature) || (!isNew && readsRows(feature)))) return undefined
  const columns = acceptedValues(output)
  return columns === null ? undefined : { writes, columns, seconds: plan.options.deadline ?? DEFAULT_DEADLINE }
}

function hasOtherHooks(feature: FeatureHooks): boolean {
  return Object.entries(feature).some(([name, hook]) => hook !== undefined && !SUPPORTED_HOOKS.has(name))
}

/** True for a feature that has to read a row before it is changed. */
function readsRows({ precondition, columnsOfChange, singleChange }: FeatureHooks): boolean {
  return singleChange === undefined && (precondition !== undefined || columnsOfChange !== undefined)
}

/**
 * Returns the additions of features to a change by one statement, `undefined` where one of them has to read the row.
 */
function additionsTo(call: Call, key: unknown): SingleAddition | undefined {
  const where: Conditions[number][] = []
  const increments: string[] = []
  for (const { singleChange } of call.plan.features) {
    const addition = singleChange === undefined ? { where: [], increments: [] } : singleChange(call, key)
    if (addition === undefined) return undefined
    where.push(...addition.where)
    increments.push(...addition.increments)
  }
  return { where, increments }
}

/** Adds a row by one statement, `undefined` if that has added nothing. */
export async function createSingle(
  call: Call,
  args: object,
  { writes, columns, seconds }: Single,
  checkTime: CheckTime,
): Promise<Row | undefined> {
  const { scope, fixed, fieldsOfNew, callerPart } = await writableBy(call)
  if (hasRaw(scope)) return undefined
  const fields = await fieldsOfNew(args)
  const ensured = { columns, where: scope, seconds, checkTime }
  const part = callerPart({ schema: schemaOf(call.plan, 'create'), sent: fields })
  return reportingViolations(call, part, () => writes.create(columnsOfNew(call.plan, fields, fixed), ensured))
}

/** Changes a row by one statement, `undefined` if that has changed nothing. */
export async function changeSingle(
  call: Call,
  { action, id, sent }: { readonly action: 'edit' | 'store'; readonly id: unknown; readonly sent: Row },
  { writes, columns, seconds }: Single,
  checkTime: CheckTime,
): Promise<Row | undefined> {
  const { scope, fieldsOfChange, columnsToChange, callerPart } = await writableBy(call)
  const addition = additionsTo(call, id)
  if (hasRaw(scope) || addition === undefined) return undefined
  const sentFields = await fieldsOfChange(action, sent)
  const fields = columnsToChange(action, sentFields, sentFields)
  if (Object.keys(withoutUndefined(fields)).length === 0) return undefined
  const { where, increments } = addition
  const change = { key: id, where: [...scope, ...where], changes: withoutUndefined(fields), increments }
  const ensured = { columns, where: scope, seconds, checkTime }
  const part = callerPart({ schema: schemaOf(call.plan, action), sent: fields })
  return reportingViolations(call, part, () => writes.update(change, ensured))
}

/** True if a scope has a condition in the language of a library, which may depend on anything. */
function hasRaw(scope: Conditions): boolean {
  return scope.some((condition) => 'raw' in condition || ('any' in condition && condition.any.some(hasRaw)))
}
