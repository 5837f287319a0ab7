import { messageOf, paginate, ValidationError, type AnyPage, type Message } from '../../../core/index.js'
import { listQuery, wireName, type AnyStore, type Call, type ListedQuery, type Row,
  type ToOutput } from '../../core/index.js'
import type { Tree } from './options.js'
import { keyString } from './walk.js'

type Refuse = (parameter: string, message: Message) => ValidationError

/**
 * Reads a list as a tree: a page of roots, each with its children.
 *
 * @throws ValidationError where there are more rows or levels than the tree may have, for a cursor, and for a caller
 * who may not read which parent a row has.
 */
export async function readForest(
  call: Call,
  tree: Tree,
  listArgs: Row,
  toOutput: ToOutput,
): Promise<AnyPage<Row>> {
  const { store, plan: { options: { paramNames = {}, total = true } } } = call
  const refuse: Refuse = (parameter, message) => new ValidationError({ [wireName(parameter, paramNames)]: [message] })
  if (listArgs.cursor !== undefined) throw refuse('cursor', messageOf('field.tree_cursor'))
  const query = await listQuery(call, listArgs)
  if (query.denied.has(tree.parent)) throw refuse('tree', messageOf('field.tree_hidden'))
  const rows = await readRows(store, query, tree, refuse)
  const roots = nest(rows, await toOutput(rows), store.key, tree.parent)
  if (levelsOf(roots) > tree.depth) throw refuse('tree', messageOf('field.tree_levels', { max: tree.depth }))
  const { page, limit } = listArgs as { page: number; limit: number }
  return paginate(roots, { page, limit, total: total as true })
}

async function readRows(
  store: AnyStore,
  { where, order, keys }: ListedQuery,
  { size }: Tree,
  refuse: Refuse,
): Promise<readonly Row[]> {
  const rows = keys === undefined
    ? await store.list({ where, order }).slice(0, size + 1)
    : await store.find(keys, where)
  if (rows.length > size) throw refuse('tree', messageOf('field.tree_rows', { max: size }))
  return rows
}

/** A record with its children, as it is sent. */
type Node = Row & { readonly children: Node[] }

/**
 * Puts the outputs of rows under one another, siblings in the order of the list.
 *
 * A row whose parent is not among them is a root, and so is the first of those that form a cycle.
 */
function nest(rows: readonly Row[], outputs: readonly Row[], key: string, parent: string): Node[] {
  const places = new Map(rows.map((row, place) => [keyString(row[key]), place]))
  const above = withoutCycles(rows.map((row) => places.get(keyString(row[parent]))))
  const nodes = outputs.map((row): Node => ({ ...row, children: [] }))
  const roots: Node[] = []
  nodes.forEach((node, place) => {
    const siblings = nodes[above[place] ?? -1]?.children ?? roots
    siblings.push(node)
  })
  return roots
}

type Places = (number | undefined)[]

function withoutCycles(above: Places): Places {
  const open = [...above]
  const walkOf: Places = []
  open.forEach((_, start) => {
    let place: number | undefined = start
    while (place !== undefined && walkOf[place] === undefined) {
      walkOf[place] = start
      place = open[place]
    }
    // The rows are walked from the first on: the start itself is in the cycle, or only leads to it.
    if (place !== undefined && walkOf[place] === start) open[firstInCycle(open, place)] = undefined
  })
  return open
}

function firstInCycle(above: Places, place: number): number {
  let first = place
  for (let next = above[place]; next !== undefined && next !== place; next = above[next]) first = Math.min(first, next)
  return first
}

function levelsOf(roots: readonly Node[]): number {
  let levels = 0
  for (let level = roots; level.length > 0; level = level.flatMap(({ children }) => children)) levels++
  return levels
}
