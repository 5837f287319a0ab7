import { ConflictError, ValidationError } from '../../errors.js'
import type { LooseRow, LooseStore, LooseWhere } from '../options.js'
import type { Tree } from './tree.js'
import { ancestorsOf, descendantsOf, textOf } from './walk.js'

/** What is to stand under which parent. */
interface Move {
  /** The row as it is stored; a new one has none. */
  readonly row?: LooseRow | undefined
  /** The fields that are to be written. */
  readonly fields: LooseRow
  /** What may be a parent: what this caller can see. */
  readonly visible: LooseWhere
  /** What counts as standing below the row. */
  readonly below: LooseWhere
}

/**
 * Checks where a row is to be put, and keeps everybody else from changing what stands above it until the transaction ends.
 *
 * @throws ValidationError naming the field of the parent, for a parent that is not there and for one level too many.
 * @throws ConflictError `conflict_cycle` when a row would stand under itself.
 */
export async function checkPlace(store: LooseStore, tree: Tree, { row, fields, visible, below }: Move): Promise<void> {
  const parent = fields[tree.parent]
  const key = textOf(row?.[store.key])
  if (textOf(parent) === undefined || textOf(parent) === textOf(row?.[tree.parent])) return
  if (textOf(parent) === key) throw circle()
  const [found] = await store.find([parent], visible)
  if (found === undefined) throw new ValidationError({ [tree.parent]: ['There is no such parent'] })
  const above = [found, ...await ancestorsOf(store, tree, found)]
  if (above.some((each) => textOf(each[store.key]) === key)) throw circle()
  const under = row === undefined ? [] : await descendantsOf(store, tree, [row], below)
  if (above.length + 1 + under.length > tree.depth) throw new ValidationError({ [tree.parent]: [`There are at most ${tree.depth} levels`] })
}

/**
 * Checks the same for a row that is restored to its place, with `levels` levels of rows, itself among them.
 *
 * @throws ConflictError `conflict_parent` when its parent is not there, or stands too deep for it by now.
 */
export async function checkReturn(store: LooseStore, tree: Tree, row: LooseRow, levels: number, visible: LooseWhere): Promise<void> {
  const parent = row[tree.parent]
  if (textOf(parent) === undefined) return
  const [found] = await store.find([parent], visible)
  if (found === undefined) throw new ConflictError('What this stood under is not there: restore that first', { reason: 'conflict_parent' })
  const above = [found, ...await ancestorsOf(store, tree, found)]
  if (above.length + levels > tree.depth) throw new ConflictError('What this stood under is too deep for it by now', { reason: 'conflict_parent' })
}

function circle(): ConflictError {
  return new ConflictError('An item cannot be its own ancestor', { reason: 'conflict_cycle' })
}
