import type { z } from 'zod'
import { safeParseAsync } from '../validate/parse.js'
import type { LooseRow } from './options.js'

/**
 * Returns the fields that this caller may write; the others are dropped like those that nobody declared.
 *
 * A new row still gets the default that a dropped field has.
 */
export async function permitted(denied: ReadonlySet<string>, fields: LooseRow, creates?: z.ZodObject): Promise<LooseRow> {
  const kept = Object.entries(fields).filter(([name]) => !denied.has(name))
  const defaults = creates === undefined ? [] : await Promise.all([...denied].map((name) => defaultOf(creates, name)))
  return Object.fromEntries([...kept, ...defaults.flat()])
}

async function defaultOf(schema: z.ZodObject, name: string): Promise<[string, unknown][]> {
  if (!Object.hasOwn(schema.shape, name)) return []
  const result = await safeParseAsync(schema.shape[name] as z.ZodType, undefined)
  return result.success && result.data !== undefined ? [[name, result.data]] : []
}

/** A replacement says something of every field: one that is optional and was left out becomes null. */
export function replacement(schema: z.ZodObject, sent: LooseRow): LooseRow {
  const names = Object.keys(schema.shape).filter((name) => name !== 'id')
  return Object.fromEntries(names.map((name) => [name, Object.hasOwn(sent, name) ? sent[name] ?? null : null]))
}
