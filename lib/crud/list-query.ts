import type { Request } from 'express'
import { deniedFields } from './field-rules.js'
import { orderOf, whereOf } from './list-where.js'
import type { LooseRow, LooseWhere } from './options.js'
import type { CrudPlan } from './plan.js'
import type { DeletedFilter } from './soft-delete/soft-delete.js'

/** What a list asks its store for. */
export interface ListedQuery {
  readonly where: LooseWhere
  readonly order: readonly string[]
  /** Keys of rows that come in this very order; there are at most 100. */
  readonly keys: readonly object[] | undefined
  /** The fields that this caller may not read. */
  readonly denied: ReadonlySet<string>
}

/** The rows that a caller asks for, of those that exist for it, in which order. */
export async function listQuery({ options, store, scopes }: CrudPlan, req: Request, asked: LooseRow): Promise<ListedQuery> {
  const denied = await deniedFields(req, options.fields, 'read')
  const where = [...await whereOf(options, asked, req, denied), ...await scopes.ofList(req, store, asked.deleted as DeletedFilter | undefined)]
  const order = orderOf(options, asked.sort, store.key, denied)
  const keys = asked.ids as readonly object[] | undefined
  // Without an order of the caller's, named rows come as they were named.
  if (keys === undefined || asked.sort === undefined) return { where, order, keys, denied }
  return { where: [...where, [store.key, 'in', keys]], order, keys: undefined, denied }
}
