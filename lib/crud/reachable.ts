import type { Request } from 'express'
import { isHttpError } from '../core/index.js'
import type { CrudPlan } from './feature.js'
import type { AnyStore, Row } from './options.js'
import { storeInside } from './plans.js'

/** The transaction that rows of another resource are looked up in: `store` is one of `plan`. */
export interface LookUp {
  readonly req: Request
  readonly plan: CrudPlan
  readonly store: AnyStore
}

/**
 * Returns those of the keys, as strings, that name rows of another resource which exist for the caller by the scope,
 * the check and the soft deletion of that resource. The rows are locked until the commit.
 */
export async function reachableKeys(
  target: CrudPlan,
  { req, plan, store }: LookUp,
  keys: readonly unknown[],
): Promise<string[]> {
  const near = storeInside(plan, store, target)
  const rows = await near.find(keys, await target.scopes.ofCaller(req, near), { lock: 'share' })
  const found: string[] = []
  for (const row of rows) if (await passes(target, row, req, near)) found.push(String(row[near.key]))
  return found
}

/** Runs the option `check` of a resource, as for `show`. */
async function passes({ options: { check } }: CrudPlan, row: Row, req: Request, store: AnyStore): Promise<boolean> {
  try {
    await check?.(row, { req, action: 'show', store })
    return true
  } catch (error) {
    if (isHttpError(error) && (error as { readonly status: number }).status < 500) return false
    throw error
  }
}
