import type { Request } from 'express'
import { ForbiddenError } from '../errors.js'
import { isOnField } from '../store.js'
import type { LooseOptions, LooseRow, LooseStore, LooseWhere } from './options.js'
import { deletedWhere, type SoftDelete, type DeletedFilter } from './soft-delete/soft-delete.js'

export interface Scopes {
  /** In lists; with `deleted` soft-deleted rows too, or alone. */
  ofList(req: Request, deleted?: DeletedFilter): Promise<LooseWhere>
  /** One by one. */
  ofRecord(req: Request): Promise<LooseWhere>
  /** One by one, soft-deleted or not. */
  ofAny(req: Request): Promise<LooseWhere>
  /** One by one, of soft-deleted rows. */
  ofDeleted(req: Request): Promise<LooseWhere>
}

/** Returns the conditions of the rows that exist for a caller; soft-deleted rows exist only where they are asked for. */
export function scopesOf(scope: LooseOptions['scope'], softDelete?: SoftDelete): Scopes {
  const own = ownScopes(scope)
  if (softDelete === undefined) return { ...own, ofAny: own.ofRecord, ofDeleted: own.ofRecord }
  return {
    ofList: async (req, deleted) => [...await own.ofList(req), ...await deletedWhere(softDelete, req, deleted)],
    ofRecord: async (req) => [...await own.ofRecord(req), ...softDelete.live],
    ofAny: own.ofRecord,
    ofDeleted: async (req) => [...await own.ofRecord(req), ...softDelete.deleted],
  }
}

type OwnScope = (req: Request) => Promise<LooseWhere>

function ownScopes(scope: LooseOptions['scope']): Readonly<Record<'ofList' | 'ofRecord', OwnScope>> {
  const all: OwnScope = () => Promise.resolve([])
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
