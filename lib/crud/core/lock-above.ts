import type { Call, Target } from './feature.js'
import type { Row } from './options.js'
import { scopeValues, withoutLocks } from './scope.js'

/**
 * Locks the rows of other resources that come before rows of this one, such as the record of children. It runs first in
 * a transaction: two requests that lock a record and its child in different orders would wait for each other.
 *
 * The rows of the target are read without a lock. One that is moved meanwhile has another row above it, which is locked
 * when it is written.
 */
export async function lockAbove(call: Call, { ids = [], sent }: Target): Promise<void> {
  const { store, plan: { features, scopes } } = call
  const all = features.flatMap((feature) => feature.lockAbove ?? [])
  if (all.length === 0) return
  const scope = await scopes.ofAny(call)
  const fixed = scopeValues(scope)
  const rows: readonly Row[] = [
    ...await withoutLocks(store).find(ids, scope),
    ...sent.map((fields) => ({ ...fields, ...fixed })),
  ]
  for (const lock of all) await lock(call, rows)
}
