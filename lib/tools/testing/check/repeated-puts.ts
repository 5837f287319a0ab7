import type { KnownRecord } from './collections.js'

/** Fields that each write may change. */
const OF_WRITES =
  /view|visit|seen|hits?$|last|count|updated|modified|changed|at$|time|date|version|revision|etag|histor/i

/**
 * Returns the first boolean, number or list of a record that the same PUT has changed again, though it is to have the
 * effect of one (RFC 9110 §9.2.2).
 */
export function changedAgain(before: KnownRecord, after: KnownRecord): string | undefined {
  return Object.keys(before).find((name) => !OF_WRITES.test(name) && isOther(before[name], after[name]))
}

export function againText(name: string): string {
  return `The same PUT changes \`${name}\` again: it is to have the effect of one`
}

function isOther(before: unknown, after: unknown): boolean {
  if (Array.isArray(before) && Array.isArray(after)) return before.length !== after.length
  return (typeof before === 'boolean' || typeof before === 'number') && typeof after === typeof before
    && after !== before
}
