import type { Request } from 'express'
import { ValidationError } from '../../errors.js'
import { paginate } from '../../paginate.js'
import type { AnyPage } from '../../paging/page.js'
import { wireName } from '../list-input.js'
import { listQuery, type ListedQuery } from '../list-query.js'
import type { LooseRow, LooseStore } from '../options.js'
import type { CrudPlan } from '../plan.js'
import { nest } from './nest.js'
import type { Tree } from './tree.js'

type Refuse = (parameter: string, sentence: string) => ValidationError
type Show = (rows: readonly LooseRow[]) => Promise<LooseRow[]>

/**
 * The rows of a list under one another: a page of roots, each with its children.
 *
 * @throws ValidationError where there are more rows or levels than the tree may have, for a cursor, and for a caller who may not read
 * which parent a row has.
 */
export async function readForest(plan: CrudPlan, tree: Tree, req: Request, asked: LooseRow, show: Show): Promise<AnyPage<LooseRow>> {
  const { options: { paramNames = {}, total = true }, store } = plan
  const refuse: Refuse = (parameter, sentence) => new ValidationError({ [wireName(parameter, paramNames)]: [sentence] })
  if (asked.cursor !== undefined) throw refuse('cursor', 'A tree has pages with numbers')
  const query = await listQuery(plan, req, asked)
  if (query.denied.has(tree.parent)) throw refuse('tree', 'There is no such tree')
  const rows = await readRows(store, query, tree, refuse)
  const { roots, levels } = nest(rows, await show(rows), store.key, tree.parent)
  if (levels > tree.depth) throw refuse('tree', `More than ${tree.depth} levels are no tree: narrow the list`)
  const { page, limit } = asked as { page: number; limit: number }
  return paginate(roots, { page, limit, total: total as true })
}

async function readRows(store: LooseStore, { where, order, keys }: ListedQuery, { size }: Tree, refuse: Refuse): Promise<readonly LooseRow[]> {
  const rows = keys === undefined ? await store.list({ where, order }).slice(0, size + 1) : await store.find(keys, where)
  if (rows.length > size) throw refuse('tree', `More than ${size} rows are no tree: narrow the list`)
  return rows
}
