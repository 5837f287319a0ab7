import type { Request } from 'express'
import type { AnyStore, Conditions, Row } from '../../options.js'
import { toOutput } from '../../output.js'
import type { Children } from './options.js'

/** All rows: the largest limit that every database takes. */
const ALL = 2_147_483_647

/** Reads the children that meet conditions, in the default order of their resource. */
export async function readChildren({ plan }: Children, store: AnyStore, where: Conditions): Promise<readonly Row[]> {
  const { order = [] } = plan.options
  const isByKey = order.some((spelling) => spelling.replace(/^-/, '') === store.key)
  return store.list({ where, order: isByKey ? order : [...order, store.key] }).slice(0, ALL)
}

/** Returns the condition of the children of rows with these keys. */
export function whereIn(column: string, keys: readonly unknown[]): Conditions {
  return [[column, 'in', keys]] as unknown as Conditions
}

interface Page {
  readonly req: Request
  readonly keys: readonly unknown[]
  readonly db: unknown
}

/** Reads the children of rows by one query, and returns what they are converted to, by the keys of the rows. */
export async function childrenByRow<T>(
  child: Children,
  { req, keys, db }: Page,
  convert: (rows: readonly Row[]) => readonly T[] | Promise<readonly T[]>,
): Promise<ReadonlyMap<string, readonly T[]>> {
  const { column, plan: { store, scopes } } = child
  const near = store.db === db ? store : store.on?.(db) ?? store
  const found = await readChildren(child, near, [...whereIn(column, keys), ...await scopes.ofCaller(req, near)])
  const byRow = new Map<string, T[]>(keys.map((key) => [String(key), []]))
  for (const [at, one] of (await convert(found)).entries()) byRow.get(String(found[at]?.[column]))?.push(one)
  return byRow
}

/** Returns the outputs of the children of rows. */
export function childOutputs(child: Children, page: Page): Promise<ReadonlyMap<string, readonly unknown[]>> {
  return childrenByRow(child, page, (rows) => toOutput(child.plan, rows, page.req, page.db))
}
