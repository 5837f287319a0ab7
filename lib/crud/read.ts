import type { Request, Response } from 'express'
import { paginate } from '../paginate.js'
import { markPage, type AnyPage } from '../paging/page.js'
import { deniedFields } from './field-rules.js'
import { presentTagged } from './if-match/tag.js'
import { wireName } from './list-input.js'
import { orderOf, whereOf } from './list-where.js'
import type { LooseOptions, LooseRow } from './options.js'
import { setPageHeaders } from './page-headers.js'
import { load, present, type CrudPlan } from './plan.js'

/** The handler of `list`. */
export function listHandler(plan: CrudPlan, names: readonly string[]) {
  const { options, store, withinDeadline } = plan
  const { names: wire = {}, headers = false } = options
  return async (req: Request, res: Response, args: object): Promise<AnyPage<LooseRow>> => {
    const given = args as LooseRow
    const asked = Object.fromEntries(names.map((name) => [name, given[wireName(name, wire)]]))
    const context = { req, action: 'list', store } as const
    const page = await withinDeadline(async () => {
      await options.before?.list?.(context)
      const found = await readPage(plan, req, asked)
      await options.after?.list?.(found.items, context)
      return markPage({ ...found, items: await present(options, found.items, req) })
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
    const [row = {}] = await load(store, [id], await scopes.ofRecord(req))
    await options.check?.(row, context)
    await options.after?.show?.(row, context)
    return presentTagged(plan, row, req, res)
  })
}

async function readPage({ options, store, scopes }: CrudPlan, req: Request, asked: LooseRow): Promise<AnyPage<LooseRow>> {
  const denied = await deniedFields(req, options.fields ?? {}, 'read')
  const where = [...whereOf(options, asked, req, denied), ...await scopes.ofList(req)]
  const ids = asked.ids as readonly object[] | undefined
  const paging = pagingOf(options, asked)
  // Without an order of the caller's, named rows come as they were named; there are at most 100.
  if (ids !== undefined && asked.sort === undefined) return paginate(await store.find(ids, where), paging)
  const order = orderOf(options, asked.sort, store.key, denied)
  const named: typeof where = ids === undefined ? [] : [[store.key, 'in', ids]]
  return paginate(store.list({ where: [...where, ...named], order }), paging)
}

/** What `paginate` reads of these it checks itself; the schema of the list has read them before. */
interface Paging {
  readonly page: number
  readonly limit: number
  readonly total: true
  readonly cursor: string | undefined
}

function pagingOf({ total = true }: LooseOptions, { page, limit, cursor }: LooseRow): Paging {
  return { page, limit, total, cursor } as Paging
}
