import type { Request } from 'express'
import { NotFoundError } from '../errors.js'
import type { Deadline } from './deadline.js'
import { deniedFields } from './field-rules.js'
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

/** What leaves of rows: without the fields that this caller may not read. */
export async function present({ transform, fields = {} }: LooseOptions, rows: readonly LooseRow[], req: Request): Promise<LooseRow[]> {
  const denied = await deniedFields(req, fields, 'read')
  const one = async (row: LooseRow): Promise<LooseRow> => {
    const shown = transform === undefined ? row : await transform(row, req)
    return denied.size === 0 ? shown : Object.fromEntries(Object.entries(shown).filter(([field]) => !denied.has(field)))
  }
  return Promise.all(rows.map(one))
}

export async function presentOne(options: LooseOptions, row: LooseRow, req: Request): Promise<LooseRow> {
  const [shown = row] = await present(options, [row], req)
  return shown
}
