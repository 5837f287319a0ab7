import type { z } from 'zod'

type Def = z.core.$ZodTypes['_zod']['def']

/**
 * Returns true for a default that a function computes anew: it differs between two reads, or is the present time or
 * day. zod does not tell which defaults are functions, and two reads may be within one millisecond.
 */
export function hasComputedDefault(def: Def): boolean {
  try {
    const value = readDefault(def)
    const json = toText(value)
    return json !== undefined && (json !== toText(readDefault(def)) || isPresent(JSON.parse(json)))
  } catch {
    // A function of `catch` that reads the error: zod publishes no value of it either.
    return false
  }
}

/** Returns the default of a schema, `undefined` of one that has none. */
function readDefault(def: Def): unknown {
  if (def.type === 'default' || def.type === 'prefault') return def.defaultValue
  return def.type === 'catch' ? Reflect.apply(def.catchValue, undefined, []) : undefined
}

function toText(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, inner: unknown) => typeof inner === 'bigint' ? `${inner}n` : inner)
}

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** Returns true for the time of now, in milliseconds, in seconds or as a string, for the day, and for data with one. */
function isPresent(value: unknown): boolean {
  const now = Date.now()
  const isNear = (time: number, span: number): boolean => Math.abs(time - now) < span
  if (typeof value === 'number') return isNear(value, MINUTE) || isNear(value * 1000, MINUTE)
  if (typeof value === 'string') return /^\d{4}-\d{2}-\d{2}/.test(value) && isNear(Date.parse(value), DAY)
  return typeof value === 'object' && value !== null && Object.values(value).some(isPresent)
}
