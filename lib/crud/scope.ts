import type { Request } from 'express'
import { ForbiddenError, NotFoundError } from '../errors.js'
import { messageOf } from '../messages.js'
import { isOnField, type Condition } from '../store.js'
import type { FeatureHooks, Scopes } from './feature.js'
import type { AnyOptions, AnyStore, Conditions, Row } from './options.js'

/** Returns the scopes of a resource: the option `scope`, and the conditions of its features. */
export function scopesOf(scope: AnyOptions['scope'], features: readonly FeatureHooks[]): Scopes {
  const own = ownScopes(scope)
  const live = (): Conditions => features.flatMap((feature) => feature.live ?? [])
  const ofStored = async (req: Request, store: AnyStore): Promise<Conditions> => {
    for (const { reach } of features) await reach?.(req, store)
    return [...pathConditions(features, req), ...await own.ofRecord(req)]
  }
  return {
    ofStored,
    ofList: async (req, store, asked) => {
      for (const { reach } of features) await reach?.(req, store)
      const conditions: Condition<Row>[] = [...pathConditions(features, req), ...await own.ofList(req)]
      for (const feature of features) conditions.push(...await feature.liveInList?.(req, asked) ?? feature.live ?? [])
      return conditions
    },
    ofRecord: async (req, store) => [...await ofStored(req, store), ...live()],
    ofAny: async (req) => [...pathConditions(features, req), ...await own.ofRecord(req)],
    ofCaller: async (req) => [...await own.ofRecord(req), ...live()],
  }
}

/** Returns the conditions that the path of a request sets. */
export function pathConditions(features: readonly FeatureHooks[], req: Request): Conditions {
  return features.flatMap((feature) => feature.pathConditions?.(req) ?? [])
}

interface OwnScopes {
  readonly ofList: (req: Request) => Promise<Conditions>
  readonly ofRecord: (req: Request) => Promise<Conditions>
}

function ownScopes(scope: AnyOptions['scope']): OwnScopes {
  const all = (): Promise<Conditions> => Promise.resolve([])
  if (scope === undefined) return { ofList: all, ofRecord: all }
  if (typeof scope === 'function') {
    const ofCaller = async (req: Request): Promise<Conditions> => scope(req)
    return { ofList: ofCaller, ofRecord: ofCaller }
  }
  return { ofList: async (req) => scope.list(req), ofRecord: all }
}

/**
 * Loads the rows with these keys that are in the scope.
 *
 * @throws NotFoundError when one is missing: one outside the scope reads just like one that does not exist.
 */
export async function loadInScope(store: AnyStore, keys: readonly unknown[], scope: Conditions): Promise<Row[]> {
  const rows = await store.find(keys, scope)
  if (rows.length < keys.length) throw new NotFoundError(keys.length === 1 ? undefined : messageOf('not_found.some'))
  return rows
}

/** Returns the values that every row of the scope has: a new row gets them in place of those that were sent. */
export function scopeValues(scope: Conditions): Row {
  const equalities = scope.filter((condition): condition is readonly [string, '=', unknown] =>
    isOnField(condition) && condition[1] === '='
  )
  return Object.fromEntries(equalities.map(([field, , value]) => [field, value]))
}

/** Checks that a written row is still in the scope. @throws ForbiddenError */
export async function checkInScope(store: AnyStore, rows: readonly Row[], scope: Conditions): Promise<void> {
  // A condition that a column is null can be checked without a query.
  const open = scope.filter((condition) =>
    !isOnField(condition) || condition[1] !== '=' || condition[2] !== null
    || rows.some((row) => row[condition[0]] !== null)
  )
  if (open.length === 0) return
  const found = await store.find(rows.map((row) => row[store.key]), open)
  if (found.length < rows.length) throw new ForbiddenError(messageOf('forbidden.scope'))
}
