import type { Request } from 'express'
import type { z } from 'zod'
import { NotFoundError } from '../errors.js'
import { deleteRows } from './delete-rows.js'
import { deniedFields } from './field-rules.js'
import type { Writing } from './hooks.js'
import type { Precondition } from './if-match/precondition.js'
import { firstVersion, nextVersion } from './if-match/version.js'
import type { LooseRow, LooseStore, LooseWhere } from './options.js'
import { load, type CrudPlan } from './plan.js'
import { declared } from './schemas.js'
import { checkInScope, scopeValues } from './scope.js'
import { willWrite } from './soft-delete/conflict.js'
import { checkPlace } from './tree/place.js'
import { blaming, type OwnPart } from './violations.js'
import { permitted, replacement } from './written-fields.js'

/** Writes rows inside a transaction, each with the scope, the field rules, the check and the hooks of a single write. */
export interface RowWriter {
  /**
   * The rows with these keys, which nobody else changes now; each may be touched by this caller, and then is what the precondition asks.
   *
   * @throws NotFoundError for all when one is missing.
   */
  load(action: Writing, keys: readonly unknown[], precondition: Precondition): Promise<LooseRow[]>
  create(args: object): Promise<LooseRow>
  change(action: 'edit' | 'store', found: LooseRow, sent: LooseRow): Promise<LooseRow>
  /** Says what is gone: these rows, and in a tree perhaps what hung on them. */
  deleteAll(rows: readonly LooseRow[]): Promise<LooseRow[]>
}

/** The writer of one request: scope and field rules are asked once, however many rows it writes. */
export async function rowWriter(plan: CrudPlan, req: Request, store: LooseStore): Promise<RowWriter> {
  const { options, schemas, scopes } = plan
  const { check, before, after } = options
  const scope = await scopes.ofRecord(req, store)
  const denied = await deniedFields(req, options.fields, 'write')
  const fixed = scopeValues(scope)
  const ownPart = ({ shape }: z.ZodObject, sent: LooseRow): OwnPart =>
    ({ sent, isOwn: (field) => Object.hasOwn(shape, field) && !denied.has(field) && !Object.hasOwn(fixed, field) })
  return {
    async load(action, keys, precondition) {
      const rows = await load(store, keys, scope)
      for (const row of rows) await check?.(row, { req, action, store })
      rows.forEach(precondition)
      return rows
    },
    async create(args) {
      const context = { req, action: 'create', store } as const
      const fields = await permitted(denied, declared(schemas.create, args), schemas.create)
      const changed = { ...given(await before?.create?.(fields, context) ?? fields), ...fixed, ...firstVersion(options) }
      await checkMove(plan, store, changed, scope)
      willWrite(req, changed)
      const created = await blaming(plan, req, ownPart(schemas.create, fields), () => store.create(changed))
      await checkInScope(store, created, scope)
      await after?.create?.(created, context)
      return created
    },
    async change(action, found, sent) {
      const context = { req, action, store } as const
      const fields = await permitted(denied, action === 'edit' ? replacement(schemas.edit, sent) : declared(schemas.store, sent))
      const changed = given(await before?.[action]?.(fields, { ...context, row: found }) ?? fields)
      await checkMove(plan, store, changed, scope, found)
      willWrite(req, changed)
      const part = ownPart(action === 'edit' ? schemas.create : schemas.store, fields)
      const updated = await blaming(plan, req, part, () => store.update(found[store.key], { ...changed, ...nextVersion(options, found) }))
      if (updated === undefined) throw new NotFoundError()
      await checkInScope(store, updated, scope)
      await after?.[action]?.(updated, context)
      return updated
    },
    deleteAll: (rows) => deleteRows(plan, { req, action: 'delete', store }, rows, scope),
  }
}

/** Returns the columns that have a value: one that is undefined is not written. */
function given(columns: LooseRow): LooseRow {
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined))
}

/** Keeps the tree, where there is one, without circles and within its depth. */
async function checkMove({ tree, softDelete }: CrudPlan, store: LooseStore, fields: LooseRow, visible: LooseWhere, row?: LooseRow): Promise<void> {
  if (tree !== undefined) await checkPlace(store, tree, { row, fields, visible, below: softDelete?.live ?? [] })
}
