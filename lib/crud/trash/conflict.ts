import type { Request } from 'express'
import { ConflictError } from '../../errors.js'
import type { LooseRow } from '../options.js'
import type { CrudPlan } from '../plan.js'
import { mayList } from './bin.js'

const PLAIN = new ConflictError()

/** What each request wrote last. */
const written = new WeakMap<Request, LooseRow>()

/** Remembers what is written next, for the case that it conflicts. */
export function willWrite(req: Request, fields: LooseRow): void {
  written.set(req, fields)
}

/**
 * Runs a transaction. Where it fails of a value that something in the bin has, whoever may list the bin is told so, once it is undone.
 *
 * @throws ConflictError `conflict_trashed` then.
 */
export async function explaining<T>(plan: CrudPlan, req: Request, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const isPlain = error instanceof ConflictError && error.reason === PLAIN.reason
    if (!isPlain || !await plan.withinDeadline(() => isInBin(plan, req))) throw error
    const sentence = 'Something in the bin has this: restore it, or delete it for good'
    throw new ConflictError(error.message.replace(PLAIN.message, sentence), { reason: 'conflict_trashed' })
  }
}

async function isInBin({ bin, store, scopes }: CrudPlan, req: Request): Promise<boolean> {
  const fields = written.get(req)
  if (bin?.unique === undefined || fields === undefined) return false
  const claims = bin.unique.filter((field) => fields[field] !== null && fields[field] !== undefined)
  if (claims.length === 0 || !await mayList(bin, req)) return false
  const taken = { any: claims.map((field) => [[field, '=', fields[field]]] as const) }
  const found = await store.list({ where: [...await scopes.ofBin(req), taken], order: [store.key] }).slice(0, 1)
  return found.length > 0
}
