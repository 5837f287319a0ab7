import type { Values } from '../request.js'

/** The value of `<input type="datetime-local">`, which has no time zone. */
const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?$/

/**
 * Returns fields with their local date-times as instants, in the time zone of the browser: an API reads instants.
 *
 * The fields in `localTimes` stay as they are, and so do those whose values in the record had no time zone before.
 */
export function toInstants(fields: Values, localTimes: readonly string[], before?: unknown): Record<string, unknown> {
  const entries = Object.entries(fields).map(([name, value]): [string, unknown] => [
    name,
    localTimes.includes(name) ? value : toInstant(value, fieldOf(before, name)),
  ])
  return Object.fromEntries(entries)
}

/** Converts a local date-time, those in a list and those in an object without a class. */
function toInstant(value: unknown, before: unknown): unknown {
  if (isLocal(value)) return isLocal(before) ? value : instantOf(value)
  if (Array.isArray(value)) return value.map((item, at) => toInstant(item, fieldOf(before, at)))
  return isPlain(value) ? toInstants(value, [], before) : value
}

function isLocal(value: unknown): value is string {
  return typeof value === 'string' && LOCAL.test(value)
}

function isPlain(value: unknown): value is Values {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || prototype === Object.prototype
}

/** Returns a field of an object or an item of a list, `undefined` of any other value. */
export function fieldOf(value: unknown, name: string | number): unknown {
  return typeof value === 'object' && value !== null ? (value as Values)[name] : undefined
}

/** Returns the instant, and the value itself where it is no date, such as that of a 13th month. */
function instantOf(value: string): string {
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? value : date.toISOString()
}
