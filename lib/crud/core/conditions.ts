import { MisuseError, show } from '../../core/index.js'
import type { Conditions } from './options.js'

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
