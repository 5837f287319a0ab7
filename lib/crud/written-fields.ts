import type { z } from 'zod'
import type { LooseRow } from './options.js'

/**
 * The fields that this caller may write; the others are dropped like those that nobody declared.
 *
 * A new row still gets the default that a dropped field has.
 */
export function permitted(denied: ReadonlySet<string>, fields: LooseRow, creates?: z.ZodObject): LooseRow {
  const kept = Object.entries(fields).filter(([name]) => !denied.has(name))
  const defaults = creates === undefined ? [] : [...denied].flatMap((name) => defaultOf(creates, name))
  return Object.fromEntries([...kept, ...defaults])
}

function defaultOf(schema: z.ZodObject, name: string): [string, unknown][] {
  const field = Object.hasOwn(schema.shape, name) ? schema.shape[name] as z.ZodType : undefined
  const result = field?.safeParse(undefined)
  return result?.success && result.data !== undefined ? [[name, result.data]] : []
}

/** A replacement says something of every field: one that is optional and was left out becomes null. */
export function replacement(schema: z.ZodObject, sent: LooseRow): LooseRow {
  const names = Object.keys(schema.shape).filter((name) => name !== 'id')
  return Object.fromEntries(names.map((name) => [name, sent[name] ?? null]))
}
