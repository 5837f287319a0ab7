import type { Request } from 'express'
import type { z } from 'zod'
import { NotFoundError } from '../errors.js'
import { checkEarly } from '../resource/early-check.js'
import { brokenOutput } from '../resource/respond.js'
import { stateOf } from '../routing/request-state.js'
import type { Deadline } from './deadline.js'
import { deniedFields } from './field-rules.js'
import type { CursorSeal } from './list-cursor.js'
import type { LooseOptions, LooseRow, LooseStore, LooseWhere } from './options.js'
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
export async function present({ options, store }: CrudPlan, rows: readonly LooseRow[], req: Request, db = store.db): Promise<LooseRow[]> {
  const { transform, fields = {} } = options
  const denied = await deniedFields(req, fields, 'read')
  const one = async (row: LooseRow): Promise<LooseRow> => {
    const shown = transform === undefined ? row : await transform(row, req, { db })
    return denied.size === 0 ? shown : Object.fromEntries(Object.entries(shown).filter(([field]) => !denied.has(field)))
  }
  return Promise.all(rows.map(one))
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
  return checkEarly(output, shown, (faults) => brokenOutput(stateOf(req).route?.name ?? 'the resource', faults))
}
