import { reportingViolations, type AnyStore, type Call, type Conditions, type Row } from '../../core/index.js'
import { ALL, whereIn } from './read.js'

/*
 * A table of links is often identified by its two columns together, which no key of a store can be: such links are
 * read and deleted by conditions, and have neither hooks nor a version.
 */

/** The columns of the links of one resource. */
interface Pair {
  /** With the key of the record. */
  readonly column: string
  /** With the key of the other record. */
  readonly other: string
}

/** Checks that a store can delete rows by conditions. */
export function isPair(store: AnyStore): boolean {
  return store.deleteWhere !== undefined
}

/** Reads the links of rows with these keys, in the order of the other records. */
export async function pairsOf(
  { store }: Call,
  { column, other }: Pair,
  keys: readonly unknown[],
): Promise<readonly Row[]> {
  return store.list({ where: whereIn(column, keys), order: [other, column] }).slice(0, ALL)
}

/** Adds a link; its record is locked, so that no other request replaces its links. */
export async function createPair(call: Call, { column, other }: Pair, key: unknown, id: unknown): Promise<void> {
  const sent = { [other]: id }
  const part = { isOwn: (field: string) => field === other, sent }
  await reportingViolations(call, part, () => call.store.create({ [column]: key, ...sent }))
}

/** Deletes the links of rows, all or those with the other records of these ids. */
export async function deletePairs(
  { store }: Call,
  { column, other }: Pair,
  keys: readonly unknown[],
  ids?: readonly unknown[],
): Promise<void> {
  if (keys.length === 0 || ids?.length === 0) return
  const where: Conditions = [...whereIn(column, keys), ...(ids === undefined ? [] : whereIn(other, ids))]
  await store.deleteWhere?.(where)
}
