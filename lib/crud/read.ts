import type { Request, Response } from 'express'
import { paginate } from '../paginate.js'
import { markPage, type AnyPage } from '../paging/page.js'
import { presentTagged, setTag } from './if-match/tag.js'
import { cursorPage } from './list-cursor.js'
import { wireName, type Parameter } from './list-input.js'
import { nameCheckOf } from './list-names.js'
import { listQuery } from './list-query.js'
import type { LooseOptions, LooseRow } from './options.js'
import { setPageHeaders } from './page-headers.js'
import { load, present, presentOne, type CrudPlan } from './plan.js'
import { readForest } from './tree/read-forest.js'

/** The handler of `list`. */
export function listHandler(plan: CrudPlan, parameters: readonly Parameter[]) {
  const { options, store, withinDeadline } = plan
  const { paramNames: wire = {}, headers = false } = options
  const names = parameters.map(([name]) => name)
  const checkNames = nameCheckOf(plan, parameters)
  return async (req: Request, res: Response, args: object): Promise<AnyPage<LooseRow>> => {
    await checkNames(req)
    const given = args as LooseRow
    const asked = Object.fromEntries(names.map((name) => [name, given[wireName(name, wire)]]))
    const context = { req, action: 'list', store } as const
    const show: Show = async (rows) => {
      await options.after?.list?.(rows, context)
      return present(plan, rows, req)
    }
    const page = await withinDeadline(async () => {
      await options.before?.list?.(context)
      return plan.tree !== undefined && asked.tree === true ? readForest(plan, plan.tree, req, asked, show) : readPage(plan, req, asked, show)
    })
    if (headers) setPageHeaders(req, res, page, wire)
    return page
  }
}

/** The handler of `show`. */
export function showHandler(plan: CrudPlan) {
  const { options, store, scopes, withinDeadline } = plan
  return (req: Request, res: Response, { id }: { readonly id: unknown }): Promise<LooseRow> => withinDeadline(async () => {
    const context = { req, action: 'show', store } as const
    await options.before?.show?.(context)
    const [row = {}] = await load(store, [id], await scopes.ofRecord(req, store))
    await options.check?.(row, context)
    await options.after?.show?.(row, context)
    return options.ifMatch === undefined ? presentOne(plan, row, req) : setTag(res, await presentTagged(plan, row, req))
  })
}

/** What leaves of the rows of a list. */
type Show = (rows: readonly LooseRow[]) => Promise<LooseRow[]>

async function readPage(plan: CrudPlan, req: Request, asked: LooseRow, show: Show): Promise<AnyPage<LooseRow>> {
  const { options, store } = plan
  const query = await listQuery(plan, req, asked)
  const { where, order, keys } = query
  const source = keys === undefined ? store.list({ where, order }) : await store.find(keys, where)
  const { cursor, limit } = asked as { cursor?: string; limit: number }
  if (cursor !== undefined) return cursorPage(plan, req, query, { found: source, cursor, limit, show })
  const found = await paginate(source, pagingOf(options, asked))
  return markPage({ ...found, items: await show(found.items) })
}

/** What `paginate` reads of these it checks itself; the schema of the list has read them before. */
interface Paging {
  readonly page: number
  readonly limit: number
  readonly total: true
}

function pagingOf({ total = true }: LooseOptions, { page, limit }: LooseRow): Paging {
  return { page, limit, total } as Paging
}
