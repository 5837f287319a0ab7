import type { Call } from './feature.js'
import type { Row } from './options.js'

/**
 * Returns rows as they are stored after the hook `after` of one of these actions has run, which may have written them;
 * without such a hook, and for a row that the hook has deleted, as they were written.
 */
export async function asStored(
  { store, plan: { options: { after = {} } } }: Call,
  actions: readonly string[],
  rows: readonly Row[],
): Promise<readonly Row[]> {
  if (rows.length === 0 || actions.every((action) => after[action] === undefined)) return rows
  const stored = await store.find(rows.map((row) => row[store.key]))
  const byKey = new Map(stored.map((row) => [String(row[store.key]), row]))
  return rows.map((row) => byKey.get(String(row[store.key])) ?? row)
}

/** The actions whose hooks run for a new row. */
export const CREATING = ['create', 'createMany'] as const
