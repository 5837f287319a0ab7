import { ForbiddenError, messageOf, NotFoundError } from '../../core/index.js'
import { isOnField, type Condition } from '../contract/store.js'
import type { Call, FeatureHooks, Scopes } from './feature.js'
import type { AnyOptions, AnyStore, Conditions, Row, Rows } from './options.js'

/** Returns the scopes of a resource: the option `scope`, and the conditions of its features. */
export function scopesOf(scope: AnyOptions['scope'], features: readonly FeatureHooks[]): Scopes {
  const own = ownScopes(scope)
  const live = (): Conditions => features.flatMap((feature) => feature.live ?? [])
  const reach = async (call: Call): Promise<void> => {
    for (const feature of features) await feature.reach?.(call)
  }
  const ofAny = async (call: Call): Promise<Conditions> => [...pathConditions(call), ...await own.ofRecord(call)]
  const ofStored = async (call: Call): Promise<Conditions> => {
    await reach(call)
    return ofAny(call)
  }
  return {
    ofAny,
    ofStored,
    ofList: async (call, asked) => {
      await reach(call)
      const ofCaller = await own.ofList(call)
      const where: Condition<Row>[] = [...pathConditions(call), ...ofCaller]
      for (const feature of features) where.push(...await feature.liveInList?.(call, asked) ?? feature.live ?? [])
      return { where, tenancy: tenancyOf(ofCaller) }
    },
    ofRecord: async (call) => [...await ofStored(call), ...live()],
    ofNew: async (call) => [...await ofAny(call), ...live()],
    ofCaller: async (call) => [...await own.ofRecord(call), ...live()],
  }
}

/** Returns the conditions that the path of a request sets. */
export function pathConditions(call: Call): Conditions {
  return call.plan.features.flatMap((feature) => feature.pathConditions?.(call) ?? [])
}

type OwnScope = (call: Call) => Promise<Conditions>

function ownScopes(scope: AnyOptions['scope']): { readonly ofList: OwnScope; readonly ofRecord: OwnScope } {
  const all: OwnScope = () => Promise.resolve([])
  if (scope === undefined) return { ofList: all, ofRecord: all }
  if (typeof scope !== 'function')
    return { ofList: async ({ req, store: { db } }) => scope.list(req, { db }), ofRecord: all }
  const ofCaller: OwnScope = async ({ req, store: { db } }) => scope(req, { db })
  return { ofList: ofCaller, ofRecord: ofCaller }
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

/**
 * Returns the rows of a store, found without locks also inside a transaction.
 *
 * Rows outside the scope of a caller are looked at without a lock before a request is refused because of them: waiting
 * for the lock of another tenant would tell that there is such a row.
 */
export function withoutLocks(store: AnyStore): Rows {
  const { key } = store
  return {
    key,
    list: (query) => store.list(query),
    find: async (keys, where = []) => {
      if (keys.length === 0) return []
      const named = [[key, 'in', keys], ...where] as unknown as Conditions
      return [...await store.list({ where: named, order: [key] }).slice(0, keys.length)]
    },
  }
}

/** Returns the values that every row of the scope has: a new row gets them in place of those that were sent. */
export function scopeValues(scope: Conditions): Row {
  const equalities = scope.filter((condition): condition is readonly [string, '=', unknown] =>
    isOnField(condition) && condition[1] === '='
  )
  return Object.fromEntries(equalities.map(([field, , value]) => [field, value]))
}

/**
 * Returns the values that every row of a scope has, in one order, to bind idempotency keys and cursors to them: ranges,
 * lists and `raw` conditions may change between two requests.
 */
export function tenancyOf(scope: Conditions): readonly unknown[] {
  return Object.entries(scopeValues(scope)).sort(([one], [other]) => (one < other ? -1 : 1))
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
