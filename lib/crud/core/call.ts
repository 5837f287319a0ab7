import type { Request, Response } from 'express'
import { isHttpError, messageOf, NotFoundError } from '../../core/index.js'
import type { AnyCondition } from '../contract/checks.js'
import type { Call, CrudHandler, CrudPlan, FeatureHooks, Scopes, Transaction } from './feature.js'
import type { AnyContext, AnyOptions, AnyStore, Conditions, Row } from './any-resource.js'
import { keyText } from './key-text.js'
import { askRules, NOTHING_DENIED, type FieldRuleKind } from './rules.js'
import { conditionsFrom, tenancyOf } from './scope.js'

/*
 * A call is the one object of a request to a resource: it has what the code of a request shares, as a property or as a
 * `SharedValue`.
 */

type Parts = Pick<Call, 'plan' | 'req' | 'res' | 'store' | 'transaction' | 'values'>

class RequestCall implements Call {
  readonly plan: CrudPlan
  readonly req: Request
  readonly res: Response
  readonly store: AnyStore
  readonly transaction: Transaction | undefined
  readonly values: Map<object, unknown>

  constructor({ plan, req, res, store, transaction, values }: Parts) {
    this.plan = plan
    this.req = req
    this.res = res
    this.store = store
    this.transaction = transaction
    this.values = values
  }

  inside(store: AnyStore): Call {
    const { plan, req, res, values } = this
    const begun = { outside: plan.store, inside: store }
    return new RequestCall({ plan, req, res, values, store, transaction: { written: [], begun } })
  }

  forResource(plan: CrudPlan): Call {
    const { req, res, values, transaction } = this
    return new RequestCall({ plan, req, res, values, transaction, store: storeInside(this, plan.store) })
  }

  context(action: string): AnyContext {
    return { req: this.req, action, store: this.store }
  }

  denied(kind: FieldRuleKind): Promise<ReadonlySet<string>> {
    const { fields } = this.plan.options
    if (fields === undefined) return NOTHING_DENIED
    const answers = DENIED_FIELDS[kind].get(this) ?? new Map<object, Promise<ReadonlySet<string>>>()
    DENIED_FIELDS[kind].set(this, answers)
    const denied = answers.get(fields) ?? askRules(this.req, fields, kind)
    answers.set(fields, denied)
    return denied
  }

  noteWritten(action: string, rows: readonly Row[]): void {
    this.transaction?.written.push({ action, rows, options: this.plan.options })
  }
}

/** A typed value that all calls of one request share, or that belongs to a resource, by its plan. */
export class SharedValue<T> {
  get({ values }: HasValues): T | undefined {
    return values.get(this) as T | undefined
  }

  set({ values }: HasValues, value: T): void {
    values.set(this, value)
  }
}

interface HasValues {
  readonly values: Map<object, unknown>
}

/** The fields that rules deny, by the rules: the resources of a request may share them. */
const DENIED_FIELDS = {
  read: new SharedValue<Map<object, Promise<ReadonlySet<string>>>>(),
  write: new SharedValue<Map<object, Promise<ReadonlySet<string>>>>(),
}

/** Returns the handler of a route, which makes the call of each request and passes it to the handler of an action. */
export function onRequests(plan: CrudPlan, handler: CrudHandler) {
  return (req: Request, res: Response, args: Row): unknown =>
    handler(new RequestCall({ plan, req, res, store: plan.store, transaction: undefined, values: new Map() }), args)
}

/** Returns another store inside the transaction of a call. */
export function storeInside({ plan, store, transaction }: Call, other: AnyStore): AnyStore {
  if (other === transaction?.begun.outside) return transaction.begun.inside
  if (store === plan.store) return other
  return other === plan.store ? store : other.on?.(store.db) ?? other
}

/** The parts of the conditions of single rows. */
type ScopeParts = Readonly<Record<'loadsParents' | 'path' | 'live', boolean>>

/** Returns the scopes of a resource: the option `scope`, and the conditions of its features. */
export function scopesOf(scope: AnyOptions['scope'], features: readonly FeatureHooks[]): Scopes {
  const scopeOfAll = typeof scope === 'function' ? scope : undefined
  const scopeOfList = scopeOfAll ?? (typeof scope === 'object' ? scope.list : undefined)
  const evaluate = async (
    { req, store: { db } }: Call,
    name: string,
    scopeOf: typeof scopeOfAll,
  ): Promise<Conditions> =>
    scopeOf === undefined ? [] : conditionsFrom(`\`${name}\` of crud`, await scopeOf(req, { db }))
  const conditionsOf = async (call: Call, { loadsParents, path, live }: ScopeParts): Promise<Conditions> => {
    const where: AnyCondition[] = []
    if (loadsParents) await loadParents(call, features)
    if (path) where.push(...pathConditions(features, call))
    where.push(...await evaluate(call, 'scope', scopeOfAll))
    if (live) { for (const feature of features) where.push(...feature.live ?? []) }
    return where
  }
  const evaluateList = (call: Call): Promise<Conditions> =>
    evaluate(call, scopeOfAll === undefined ? 'scope.list' : 'scope', scopeOfList)
  return {
    ofAny: (call) => conditionsOf(call, { loadsParents: false, path: true, live: false }),
    ofStored: (call) => conditionsOf(call, { loadsParents: true, path: true, live: false }),
    ofRecord: (call) => conditionsOf(call, { loadsParents: true, path: true, live: true }),
    ofNew: (call) => conditionsOf(call, { loadsParents: false, path: true, live: true }),
    ofCaller: (call) => conditionsOf(call, { loadsParents: false, path: false, live: true }),
    ofListed: async (call) => [...await evaluateList(call), ...features.flatMap((feature) => feature.live ?? [])],
    ofList: async (call, listArgs) => {
      await loadParents(call, features)
      const ofCaller = await evaluateList(call)
      const where: AnyCondition[] = [...pathConditions(features, call), ...ofCaller]
      for (const feature of features) where.push(...await feature.liveInList?.(call, listArgs) ?? feature.live ?? [])
      return { where, tenancy: tenancyOf(ofCaller) }
    },
  }
}

/** Loads the records that the path of a request names, as `FeatureHooks.loadParents` does. */
export async function loadParents(call: Call, features: readonly FeatureHooks[]): Promise<void> {
  for (const feature of features) await feature.loadParents?.(call)
}

export function pathConditions(features: readonly FeatureHooks[], call: Call): Conditions {
  return features.flatMap((feature) => feature.pathConditions?.(call) ?? [])
}

/**
 * Loads the rows with these keys that are in the scope.
 *
 * @throws NotFoundError when one is missing: the reply must not tell a row outside the scope from one that does not
 * exist.
 */
export async function loadInScope(store: AnyStore, keys: readonly unknown[], scope: Conditions): Promise<Row[]> {
  const rows = await store.find(keys, scope)
  if (rows.length === keys.length) return rows
  const spellings = await spellingsOf(store, rows, keys, scope)
  if (keys.every((key) => spellings.has(keyText(key)))) return rows
  throw new NotFoundError(keys.length === 1 ? undefined : messageOf('not_found.some'))
}

/**
 * Returns the keys of rows, as strings, and those of the other keys that the store takes for one of them: a database
 * may compare uuids without regard to case, decimals by value, and strings without spaces at their end.
 */
async function spellingsOf(
  store: Pick<AnyStore, 'key' | 'find'>,
  rows: readonly Row[],
  keys: readonly unknown[],
  where: Conditions,
): Promise<ReadonlySet<string>> {
  const keyOf = (row: Row): string => keyText(row[store.key])
  const present: ReadonlySet<string> = new Set(rows.map(keyOf))
  const spellings = new Set(present)
  const likely = new Set([...present].map(looseText))
  for (const key of keys) {
    if (typeof key !== 'string' || present.has(key) || !likely.has(looseText(key))) continue
    if ((await store.find([key], where)).some((row) => present.has(keyOf(row)))) spellings.add(key)
  }
  return spellings
}

/** Returns a string that is the same for all spellings of one key; another key may have the same string. */
function looseText(key: string): string {
  return /^-?\d+(?:\.\d+)?$/.test(key) ? String(Number(key)) : key.trimEnd().toLowerCase()
}

/**
 * Returns those of the keys, as strings, that name rows of another resource which exist for the caller by the scope,
 * the check and the soft deletion of that resource. The rows are locked until the commit.
 */
export async function reachableKeys(call: Call, target: CrudPlan, keys: readonly unknown[]): Promise<string[]> {
  const targetCall = call.forResource(target)
  const { store } = targetCall
  const where = await target.scopes.ofCaller(targetCall)
  const rows = await store.find(keys, where, { lock: 'share' })
  const passing: Row[] = []
  for (const row of rows) if (await passes(targetCall, row)) passing.push(row)
  return [...await spellingsOf(store, passing, keys, where)]
}

/** Runs the option `check` of a resource, as for `show`. */
async function passes(call: Call, row: Row): Promise<boolean> {
  try {
    await call.plan.options.check?.(row, call.context('show'))
    return true
  } catch (error) {
    if (isHttpError(error) && (error as { readonly status: number }).status < 500) return false
    throw error
  }
}
