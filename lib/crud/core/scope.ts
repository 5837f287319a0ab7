import { ForbiddenError, messageOf, MisuseError, show } from '../../core/index.js'
import { isOnField } from '../contract/store.js'
import type { AnyStore, Conditions, Row, Rows } from './any-resource.js'

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
      return [...await store.list({ where: [[key, 'in', keys], ...where], order: [key] }).slice(0, keys.length)]
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
  const visible = await store.find(rows.map((row) => row[store.key]), open)
  if (visible.length < rows.length) throw new ForbiddenError(messageOf('forbidden.scope'))
}

/**
 * Returns the conditions that a function of the application has returned: no other value may mean "every row".
 *
 * @param name of the function in Markdown, for the log
 * @throws MisuseError `store_condition` for anything but a list of conditions.
 */
export function conditionsFrom(name: string, returned: unknown): Conditions {
  if (isWhere(returned)) return returned
  const odd = Array.isArray(returned) ? 'a list with something else' : show(returned)
  throw new MisuseError(
    'store_condition',
    `${name} must return a list of conditions, such as \`[['teamId', '=', 7]]\`, but it returned ${odd}.`,
  )
}

function isWhere(value: unknown): value is Conditions {
  return Array.isArray(value) && value.every(isCondition)
}

/** The store checks the field, the operator and the value of a condition. */
function isCondition(value: unknown): boolean {
  if (Array.isArray(value)) return true
  if (typeof value !== 'object' || value === null) return false
  return 'any' in value ? Array.isArray(value.any) && value.any.every(isWhere) : 'raw' in value
}
