import type { Request } from 'express'
import { ForbiddenError } from '../errors.js'
import { isOnField } from '../store.js'
import type { LooseOptions, LooseRow, LooseStore, LooseWhere } from './options.js'
import { childrenWhere, reachParent, type Parent } from './parent/parent.js'
import { deletedWhere, type SoftDelete, type DeletedFilter } from './soft-delete/soft-delete.js'

/**
 * The conditions of the rows that exist for a caller. In a nested resource they exist below a parent alone, which is loaded on the `db` of the
 * store that is given: inside a transaction that of the transaction.
 */
export interface Scopes {
  /** In lists; with `deleted` soft-deleted rows too, or alone. @throws NotFoundError without the parent */
  ofList(req: Request, store: LooseStore, deleted?: DeletedFilter): Promise<LooseWhere>
  /** One by one. @throws NotFoundError without the parent */
  ofRecord(req: Request, store: LooseStore): Promise<LooseWhere>
  /** One by one, of soft-deleted rows. @throws NotFoundError without the parent */
  ofDeleted(req: Request, store: LooseStore): Promise<LooseWhere>
  /** One by one, soft-deleted or not, without a look at the parent. */
  ofAny(req: Request): Promise<LooseWhere>
}

/** Returns the scopes of a resource; soft-deleted rows exist only where they are asked for. */
export function scopesOf(scope: LooseOptions['scope'], softDelete?: SoftDelete, parent?: Parent): Scopes {
  const own = ownScopes(scope)
  const below = (req: Request): LooseWhere => (parent === undefined ? [] : childrenWhere(parent, req))
  const reach = async (req: Request, store: LooseStore): Promise<LooseWhere> => {
    if (parent?.joins === true) await reachParent(parent, req, store)
    return below(req)
  }
  const { live = [], deleted = [] } = softDelete ?? {}
  return {
    ofList: async (req, store, filter) =>
      [...await reach(req, store), ...await own.ofList(req), ...(softDelete === undefined ? [] : await deletedWhere(softDelete, req, filter))],
    ofRecord: async (req, store) => [...await reach(req, store), ...await own.ofRecord(req), ...live],
    ofDeleted: async (req, store) => [...await reach(req, store), ...await own.ofRecord(req), ...deleted],
    ofAny: async (req) => [...below(req), ...await own.ofRecord(req)],
  }
}

interface OwnScopes {
  readonly ofList: (req: Request) => Promise<LooseWhere>
  readonly ofRecord: (req: Request) => Promise<LooseWhere>
}

function ownScopes(scope: LooseOptions['scope']): OwnScopes {
  const all = (): Promise<LooseWhere> => Promise.resolve([])
  if (scope === undefined) return { ofList: all, ofRecord: all }
  if (typeof scope === 'function') {
    const asked = async (req: Request): Promise<LooseWhere> => scope(req)
    return { ofList: asked, ofRecord: asked }
  }
  return { ofList: async (req) => scope.list(req), ofRecord: all }
}

/** The values that every row of the scope has: a new row gets them, whatever was asked for. */
export function scopeValues(scope: LooseWhere): LooseRow {
  const equalities = scope.filter((condition): condition is readonly [string, '=', unknown] => isOnField(condition) && condition[1] === '=')
  return Object.fromEntries(equalities.map(([field, , value]) => [field, value]))
}

/** @throws ForbiddenError when what was written is no longer in the scope. */
export async function checkInScope(store: LooseStore, row: LooseRow, scope: LooseWhere): Promise<void> {
  // What is to be null can be seen without asking again.
  const open = scope.filter((condition) => !isOnField(condition) || condition[1] !== '=' || condition[2] !== null || row[condition[0]] !== null)
  if (open.length === 0) return
  const [found] = await store.find([row[store.key]], open)
  if (found === undefined) throw new ForbiddenError('This would be out of your reach')
}
