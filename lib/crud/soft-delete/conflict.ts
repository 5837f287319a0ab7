import type { Request } from 'express'
import { ConflictError } from '../../errors.js'
import type { LooseRow } from '../options.js'
import type { CrudPlan } from '../plan.js'
import { maySeeDeleted } from './soft-delete.js'

const PLAIN = new ConflictError()

/** What each request wrote last. */
const written = new WeakMap<Request, LooseRow>()

/** Remembers what is written next, for the case that it conflicts. */
export function willWrite(req: Request, fields: LooseRow): void {
  written.set(req, fields)
}

/**
 * Runs a transaction. When it fails because a soft-deleted row has the same unique value, callers who may list such rows are told so.
 *
 * @throws ConflictError `conflict_deleted` then.
 */
export async function explaining<T>(plan: CrudPlan, req: Request, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const isPlain = error instanceof ConflictError && error.reason === PLAIN.reason
    if (!isPlain || !await plan.withinDeadline(() => isUsedByDeleted(plan, req))) throw error
    const sentence = 'A deleted record uses this value'
    throw new ConflictError(error.message.replace(PLAIN.message, sentence), { reason: 'conflict_deleted', fields: error.fields, cause: error })
  }
}

async function isUsedByDeleted({ softDelete, store, scopes }: CrudPlan, req: Request): Promise<boolean> {
  const fields = written.get(req)
  if (softDelete?.unique === undefined || fields === undefined) return false
  const claims = softDelete.unique.filter((field) => fields[field] !== null && fields[field] !== undefined)
  if (claims.length === 0 || !await maySeeDeleted(softDelete, req)) return false
  const taken = { any: claims.map((field) => [[field, '=', fields[field]]] as const) }
  const found = await store.list({ where: [...await scopes.ofDeleted(req, store), taken], order: [store.key] }).slice(0, 1)
  return found.length > 0
}
