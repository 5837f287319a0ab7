import type { Call, CrudPlan } from './feature.js'
import { renaming } from './naming.js'
import type { AnyContext, AnyStore, Row } from './any-resource.js'
import { checkInScope } from './scope.js'
import { reportingViolations } from './violations.js'
import { columnsFrom, columnsOfHook, columnsOfNew, schemaOf, type Writable } from './writable.js'

/** Adds rows inside a transaction, with the hooks of `create` or those of `createMany`. */
export interface RowCreator {
  create(args: object): Promise<Row>
  /**
   * Adds rows and returns them in their order: all by one call of the store, for which see {@link createsTogether}, or
   * with `naming` one by one.
   */
  createAll(all: readonly object[], naming?: Naming): Promise<Row[]>
}

/** Makes errors name the row that they are about, where rows are added one by one. */
export interface Naming {
  readonly beforeEach?: () => void
  /** Returns the error to throw in place of one about the row of this index. */
  readonly nameRow: (index: number, error: unknown) => unknown
  /** Returns the error to throw in place of one of a batch hook, which may name rows by their indices. */
  readonly nameBatch: (error: unknown) => unknown
}

/** Leaves errors as they are: there is only one row. */
const UNNAMED: Naming = { nameRow: (_index, error) => error, nameBatch: (error) => error }

type BatchHook = ((rows: readonly Row[], context: AnyContext) => unknown) | undefined

/** The hooks for all rows of a batch; where there is none, the hooks of `create` run for each row. */
type BatchHooks = Readonly<Record<'before' | 'after', BatchHook>>

/** True if new rows may be added together: no hook and no feature has to see each of them by itself. */
export function createsTogether({ options: { before, after }, features }: CrudPlan, store: AnyStore): boolean {
  const isEach = [before, after].some((hooks) => hooks?.create !== undefined && hooks.createMany === undefined)
  const checks = features.filter(({ beforeWrite }) => beforeWrite !== undefined)
  return !isEach && features.every(({ writeRelated }) => writeRelated === undefined)
    && (store.createMany !== undefined || checks.length > 0)
    && checks.every(({ beforeCreateAll }) => beforeCreateAll !== undefined)
}

/** The parts of a row writer that new rows need. */
interface Writing extends Writable {
  readonly beforeWrite: (columns: Row) => Promise<void>
  readonly splitFields: SplitFields
  /** Writes the rows that features keep for a row. */
  readonly writeRelated: (row: Row, isNew: boolean, fields: Row) => Promise<void>
}

export function rowCreator(
  call: Call,
  { scope, fixed, fieldsOfNew, callerPart, beforeWrite, splitFields, writeRelated }: Writing,
): RowCreator {
  const { store, plan, plan: { options: { before, after }, scopes, features } } = call
  const context = call.context('create')
  const checkNew = async (rows: readonly Row[], isChanged: boolean): Promise<void> => {
    // A hook may have changed the rows: only their keys are known.
    const keys = isChanged ? rows.map((row) => ({ [store.key]: row[store.key] })) : rows
    await checkInScope(store, keys, await scopes.ofNew(call))
  }
  const insertOne = async ([fields, related]: Parts, fromHook: Row | undefined, batch: BatchHooks): Promise<Row> => {
    const ownColumns = fromHook ?? columnsOfHook('before.create', await before?.create?.(fields, context), fields)
    const columns = columnsOfNew(plan, ownColumns, fixed)
    await beforeWrite(columns)
    const part = callerPart({ schema: schemaOf(plan, 'create'), sent: fields })
    const created = await reportingViolations(call, part, () => store.create(columns))
    await writeRelated(created, true, related)
    if (batch.after !== undefined) return created
    await after?.create?.(created, context)
    await checkNew([created], after?.create !== undefined)
    return created
  }
  const insertTogether = async (all: readonly Row[]): Promise<Row[]> => {
    const rows = all.map((ownColumns) => columnsOfNew(plan, ownColumns, fixed))
    const writes = rows.map((columns) => ({ call, columns, found: undefined, scope }))
    for (const { beforeCreateAll } of features) await beforeCreateAll?.(writes)
    return await store.createMany?.(rows) ?? createEach(store, rows)
  }
  const insertEach = async (
    all: readonly Parts[],
    fromHook: readonly Row[] | undefined,
    batch: BatchHooks,
    { beforeEach, nameRow }: Naming,
  ): Promise<Row[]> => {
    const created: Row[] = []
    for (const [index, parts] of all.entries()) {
      beforeEach?.()
      created.push(await renaming((error) => nameRow(index, error), () => insertOne(parts, fromHook?.[index], batch)))
    }
    return created
  }
  const insertAll = async (all: readonly object[], batch: BatchHooks, naming?: Naming): Promise<Row[]> => {
    const parts = await Promise.all(all.map(async (args) => splitFields(await fieldsOfNew(args))))
    const fields = parts.map(([ownFields]) => ownFields)
    const fromHook = await renaming(naming?.nameBatch, () => columnsOfBatchHook(batch.before, fields, context))
    const created = naming === undefined
      ? await insertTogether(fromHook ?? fields)
      : await insertEach(parts, fromHook, batch, naming)
    // Without `batch.after`, rows that were added one by one have been checked one by one.
    if (batch.after !== undefined) await renaming(naming?.nameBatch, async () => await batch.after?.(created, context))
    else if (naming !== undefined) return created
    await checkNew(created, batch.after !== undefined)
    return created
  }
  return {
    async create(args) {
      // A single row is a batch of one to a hook that has no counterpart for single rows.
      const single: BatchHooks = {
        before: before?.create === undefined ? before?.createMany : undefined,
        after: after?.create === undefined ? after?.createMany : undefined,
      }
      const [created = {}] = await insertAll([args], single, UNNAMED)
      return created
    },
    createAll: (all, naming) => insertAll(all, { before: before?.createMany, after: after?.createMany }, naming),
  }
}

async function createEach(store: AnyStore, rows: readonly Row[]): Promise<Row[]> {
  const created: Row[] = []
  for (const row of rows) created.push(await store.create(row))
  return created
}

type Parts = readonly [ownFields: Row, relatedFields: Row]
/** Splits fields into those of the row, and those that features write elsewhere. */
type SplitFields = (fields: Row) => Parts

export function fieldSplitter({ features }: CrudPlan): SplitFields {
  const names = new Set(features.flatMap(({ relatedFields = [] }) => relatedFields))
  if (names.size === 0) return (fields) => [fields, {}]
  return (fields) => partition(fields, (name) => !names.has(name))
}

/** Splits fields into those whose name passes, and the others. */
export function partition(fields: Row, passes: (name: string) => boolean): readonly [passing: Row, others: Row] {
  const entries = Object.entries(fields)
  return [
    Object.fromEntries(entries.filter(([name]) => passes(name))),
    Object.fromEntries(entries.filter(([name]) => !passes(name))),
  ]
}

async function columnsOfBatchHook(
  hook: BatchHook,
  rows: readonly Row[],
  context: AnyContext,
): Promise<readonly Row[] | undefined> {
  const fromHook = await hook?.(rows, context)
  if (fromHook === undefined) return undefined
  if (Array.isArray(fromHook) && fromHook.length === rows.length) {
    return fromHook.map((row) => columnsFrom('before.createMany', row))
  }
  const result = Array.isArray(fromHook) ? `${fromHook.length} rows` : 'no list'
  throw new Error(`\`before.createMany\` of crud returned ${result} for ${rows.length} rows.`)
}
