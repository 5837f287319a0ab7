import type { Request } from 'express'
import { ForbiddenError } from '../errors.js'
import type { LooseOptions, LooseRow, LooseStore, LooseWhere } from './options.js'
import { trashedWhere, type Bin, type Trashed } from './trash/bin.js'

export interface Scopes {
  /** In lists; with `trashed` what is in the bin too, or alone. */
  ofList(req: Request, trashed?: Trashed): Promise<LooseWhere>
  /** One by one. */
  ofRecord(req: Request): Promise<LooseWhere>
  /** One by one, in the bin. */
  ofBin(req: Request): Promise<LooseWhere>
}

/** What exists for a caller. What is in the bin does not, unless it is asked for. */
export function scopesOf(scope: LooseOptions['scope'], bin?: Bin): Scopes {
  const own = ownScopes(scope)
  if (bin === undefined) return { ...own, ofBin: (req) => own.ofRecord(req) }
  return {
    ofList: async (req, trashed) => [...await own.ofList(req), ...await trashedWhere(bin, req, trashed)],
    ofRecord: async (req) => [...await own.ofRecord(req), ...bin.outside],
    ofBin: async (req) => [...await own.ofRecord(req), ...bin.inside],
  }
}

function ownScopes(scope: LooseOptions['scope']): Pick<Scopes, 'ofList' | 'ofRecord'> {
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
  const equalities = scope.filter((condition): condition is readonly [string, '=', unknown] => !('any' in condition) && condition[1] === '=')
  return Object.fromEntries(equalities.map(([field, , value]) => [field, value]))
}

/** @throws ForbiddenError when what was written is no longer in the scope. */
export async function checkInScope(store: LooseStore, row: LooseRow, scope: LooseWhere): Promise<void> {
  // What is to be null can be seen without asking again.
  const open = scope.filter((condition) => 'any' in condition || condition[2] !== null || row[condition[0]] !== null)
  if (open.length === 0) return
  const [found] = await store.find([row[store.key]], open)
  if (found === undefined) throw new ForbiddenError('This would be out of your reach')
}
