import { isHttpError } from '../../core/index.js'
import { spellingsOf } from './call.js'
import type { Call, CrudPlan } from './feature.js'
import type { Row } from './options.js'

/**
 * Returns those of the keys, as strings, that name rows of another resource which exist for the caller by the scope,
 * the check and the soft deletion of that resource. The rows are locked until the commit.
 */
export async function reachableKeys(call: Call, target: CrudPlan, keys: readonly unknown[]): Promise<string[]> {
  const near = call.of(target)
  const { store } = near
  const where = await target.scopes.ofCaller(near)
  const rows = await store.find(keys, where, { lock: 'share' })
  const passing: Row[] = []
  for (const row of rows) if (await passes(near, row)) passing.push(row)
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
