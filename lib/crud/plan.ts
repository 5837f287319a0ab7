import type { Request } from 'express'
import type { z } from 'zod'
import { NotFoundError } from '../errors.js'
import { checkEarly, outputError } from '../resource/respond.js'
import { stateOf } from '../routing/request-state.js'
import type { Deadline } from './deadline.js'
import { deniedFields } from './field-rules.js'
import type { CursorSeal } from './cursor-seal.js'
import type { LooseOptions, LooseRow, LooseStore, LooseWhere } from './options.js'
import type { Parent } from './parent/parent.js'
import type { Schemas } from './schemas.js'
import type { Scopes } from './scope.js'
import type { SoftDelete } from './soft-delete/soft-delete.js'
import type { Tree } from './tree/tree.js'

/** What the handlers of one resource share, decided once. */
export interface CrudPlan {
  readonly store: LooseStore
  readonly options: LooseOptions
  readonly schemas: Schemas
  readonly scopes: Scopes
  readonly withinDeadline: Deadline
  readonly cursorSeal: CursorSeal | undefined
  readonly softDelete: SoftDelete | undefined
  readonly tree: Tree | undefined
  readonly parent: Parent | undefined
}

/**
 * The rows with these keys that are in the scope.
 *
 * @throws NotFoundError when one is missing: one outside the scope reads just like one that does not exist.
 */
export async function load(store: LooseStore, keys: readonly unknown[], scope: LooseWhere): Promise<LooseRow[]> {
  const rows = await store.find(keys, scope)
  if (rows.length < keys.length) throw new NotFoundError(keys.length === 1 ? undefined : 'One of these was not found')
  return rows
}

/** Converts rows to output, without the fields that this caller may not read; `db` is that of the transaction they are read in. */
export async function present(plan: CrudPlan, rows: readonly LooseRow[], req: Request, db = plan.store.db): Promise<LooseRow[]> {
  const denied = await deniedFields(req, plan.options.fields, 'read')
  const shown = await transformed(plan, rows, req, db)
  if (denied.size === 0) return shown
  return shown.map((one) => Object.fromEntries(Object.entries(one).filter(([field]) => !denied.has(field))))
}

function transformed({ options, store }: CrudPlan, rows: readonly LooseRow[], req: Request, db: unknown): Promise<LooseRow[]> {
  const { transform, transformMany } = options
  if (transformMany !== undefined) return transformedTogether(transformMany, rows, req, store.key, db)
  return Promise.all(rows.map(async (row) => (transform === undefined ? row : transform(row, req, { db }))))
}

type TransformMany = NonNullable<LooseOptions['transformMany']>

async function transformedTogether(
  transformMany: TransformMany,
  rows: readonly LooseRow[],
  req: Request,
  key: string,
  db: unknown,
): Promise<LooseRow[]> {
  if (rows.length === 0) return []
  const shown: unknown = await transformMany(rows, req, { db })
  const where = `\`transformMany\` of ${stateOf(req).route?.name ?? 'the resource'}`
  if (!Array.isArray(shown)) throw new Error(`${where} did not return a list.`)
  if (shown.length !== rows.length) throw new Error(`${where} returned ${shown.length} outputs for ${rows.length} rows.`)
  if (isReordered(rows, shown as LooseRow[], key)) throw new Error(`${where} returned the outputs in another order than the rows.`)
  return [...shown as LooseRow[]]
}

/** True if the outputs have the keys of the rows in another order; an output may also have no key, or another one. */
function isReordered(rows: readonly LooseRow[], shown: readonly LooseRow[], key: string): boolean {
  const keys = rows.map((row) => String(row[key]))
  const others = shown.map((one) => String(one[key]))
  return keys.join() !== others.join() && keys.toSorted().join() === others.toSorted().join()
}

export async function presentOne(plan: CrudPlan, row: LooseRow, req: Request, db = plan.store.db): Promise<LooseRow> {
  const [shown = row] = await present(plan, [row], req, db)
  return shown
}

/** Converts rows to the reply of a bulk action, and checks that. @throws HttpError 500 when it does not fit the output. */
export async function presentAll(plan: CrudPlan, rows: readonly LooseRow[], req: Request, db: unknown): Promise<LooseRow[]> {
  const shown = await present(plan, rows, req, db)
  await checkReply(req, plan.schemas.outputs, shown)
  return shown
}

/** Checks a reply inside the transaction that it tells of, and returns what its schema makes of it. */
export function checkReply(req: Request, output: z.ZodType, shown: object): Promise<unknown> {
  return checkEarly(output, shown, (faults) => outputError(stateOf(req).route?.name ?? 'the resource', faults))
}
