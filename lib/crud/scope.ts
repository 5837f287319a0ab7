import type { Request } from 'express'
import { ForbiddenError } from '../errors.js'
import type { LooseOptions, LooseRow, LooseStore, LooseWhere } from './options.js'

export interface Scopes {
  ofList(req: Request): Promise<LooseWhere>
  ofRecord(req: Request): Promise<LooseWhere>
}

/** What exists for a caller: in lists, and one by one. */
export function scopesOf(scope: LooseOptions['scope']): Scopes {
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
  if (scope.length === 0) return
  const [found] = await store.find([row[store.key]], scope)
  if (found === undefined) throw new ForbiddenError('This would be out of your reach')
}
