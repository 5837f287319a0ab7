import { fieldOf, keyText, toOutput, type AnyStore, type Call, type Conditions, type Row } from '../../core/index.js'
import type { Children } from './options.js'

/** All rows: the largest limit that every database takes. */
export const ALL = 2_147_483_647

/** Reads the children that meet conditions, in the default order of their resource. */
export async function readChildren({ plan }: Children, store: AnyStore, where: Conditions): Promise<readonly Row[]> {
  const { order = [] } = plan.options
  const isByKey = order.some((spelling) => fieldOf(spelling) === store.key)
  return store.list({ where, order: isByKey ? order : [...order, store.key] }).slice(0, ALL)
}

/** Returns the condition of the children of rows with these keys. */
export function whereIn(column: string, keys: readonly unknown[]): Conditions {
  return [[column, 'in', keys]]
}

/**
 * Reads the children of rows by one query, and returns their converted form, by the keys of the rows; the call is
 * that of the children.
 */
export async function childrenByRow<T>(
  call: Call,
  child: Children,
  keys: readonly unknown[],
  convert: (rows: readonly Row[]) => readonly T[] | Promise<readonly T[]>,
): Promise<ReadonlyMap<string, readonly T[]>> {
  const { column, plan: { scopes } } = child
  const rows = await readChildren(child, call.store, [...whereIn(column, keys), ...await scopes.ofListed(call)])
  const byRow = new Map<string, T[]>(keys.map((key) => [keyText(key), []]))
  for (const [at, output] of (await convert(rows)).entries()) byRow.get(keyText(rows[at]?.[column]))?.push(output)
  return byRow
}

export function childOutputs(
  call: Call,
  child: Children,
  keys: readonly unknown[],
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const childCall = call.forResource(child.plan)
  return childrenByRow(childCall, child, keys, (rows) => toOutput(childCall, rows))
}
