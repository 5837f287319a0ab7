import type { Values } from '../request.js'
import { toInstants } from './date-times.js'
import type { Resource } from './resources.js'

/** The suffixes of a filter's name: of ranges, `ne` and `isNull`. */
const SUFFIX = /_(?:gte|lte|ne|isNull)$/

/** Returns true if the options of a resource list a filter, by its name or by that of its field. */
export function isDeclared({ filters }: Resource, name: string): boolean {
  return filters === undefined || filters.includes(name) || filters.includes(name.replace(SUFFIX, ''))
}

/**
 * Returns the filters that are sent: those that are declared and have a value. A string without characters, `null` and
 * an empty list are no values, and a list of one is its value: tables send one for a filter that takes a single value.
 */
export function declaredFilters(resource: Resource, filters: Values): Record<string, unknown> {
  const sent: Record<string, unknown> = {}
  const isLocal = (name: string): boolean =>
    [name, name.replace(SUFFIX, '')].some((field) => resource.localTimes.includes(field))
  for (const [name, value] of Object.entries(toInstants(filters, Object.keys(filters).filter(isLocal)))) {
    if (isUnset(value)) continue
    if (isDeclared(resource, name)) sent[name] = Array.isArray(value) && value.length === 1 ? value[0] : value
    else {warnOnce(
        `The filter \`${name}\` of \`${resource.name}\` is not sent: add it to \`resources.${resource.name}.filters\`.`,
      )}
  }
  return sent
}

/**
 * Checks that a filter which selects the rows of another record is sent: without it the list would have all rows.
 *
 * @throws TypeError where the resource does not declare it.
 */
export function checkReference(resource: Resource, target: string): void {
  if (isDeclared(resource, target)) return
  throw new TypeError(
    `\`${resource.name}\` cannot be listed by \`${target}\`: add it to \`resources.${resource.name}.filters\`.`,
  )
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

const warnings = new Set<string>()

function warnOnce(message: string): void {
  if (warnings.has(message)) return
  warnings.add(message)
  console.error(message)
}
