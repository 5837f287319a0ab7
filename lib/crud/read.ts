import type { Request, Response } from 'express'
import { checkFunction, checkMeta, markPage, paginate, reply, stateOf, type AnyPage, type Meta,
  type Reply } from '../core/index.js'
import { cursorPage } from './cursor.js'
import type { CrudPlan, ToOutput } from './feature.js'
import { setPageHeaders } from './headers.js'
import { askedOf, nameCheckOf } from './list-parameters.js'
import { listQuery } from './list-query.js'
import { PAGE_KEYS, type AnyOptions, type Row } from './options.js'
import { toOutput, toShownReply, withHeaders } from './output.js'
import { loadInScope } from './scope.js'

/** Returns the handler of `list`. */
export function listHandler(plan: CrudPlan) {
  const { options, store, parameters, withinDeadline } = plan
  const { paramNames = {}, headers = false } = options
  if (options.listMeta !== undefined) checkFunction('`listMeta` of crud', options.listMeta)
  const checkNames = nameCheckOf(plan, parameters)
  const adding = plan.features.flatMap(({ listMeta }) => listMeta ?? [])
  return async (req: Request, res: Response, args: object): Promise<AnyPage<Row> | Reply> => {
    await checkNames(req)
    const asked = askedOf(plan, parameters, req, args as Row)
    const context = { req, action: 'list', store } as const
    const listed: ToOutput = async (rows) => {
      await options.after?.list?.(rows, context)
      return toOutput(plan, rows, req)
    }
    let meta: Meta = {}
    const page = await withinDeadline(async () => {
      await options.before?.list?.(context)
      const found = await (ownPage(plan, req, asked, listed) ?? readPage(plan, req, asked, listed))
      meta = await ownMeta(options, req, found)
      for (const listMeta of adding) meta = { ...meta, ...await listMeta(req, asked) }
      return found
    })
    if (headers) setPageHeaders(req, res, page, paramNames)
    if (adding.length === 0 && options.listMeta === undefined) return page
    return reply(stateOf(req).route?.message ?? 'ok', page, meta)
  }
}

/** Returns the result of the option `listMeta`, without the keys of the page. */
async function ownMeta({ listMeta }: AnyOptions, req: Request, page: AnyPage<Row>): Promise<Meta> {
  const meta: unknown = await listMeta?.(req, page) ?? {}
  checkMeta('listMeta of crud', meta)
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !PAGE_KEYS.some((taken) => taken === key)))
}

/** Returns the handler of `show`. */
export function showHandler(plan: CrudPlan) {
  const { options, store, scopes, withinDeadline } = plan
  return (req: Request, res: Response, { id }: { readonly id: unknown }): Promise<Row> =>
    withinDeadline(async () => {
      const context = { req, action: 'show', store } as const
      await options.before?.show?.(context)
      const [row = {}] = await loadInScope(store, [id], await scopes.ofRecord(req, store))
      await options.check?.(row, context)
      await options.after?.show?.(row, context)
      return withHeaders(res, await toShownReply(plan, row, req))
    })
}

/** Reads a list in the way of a feature, `undefined` where none has another way. */
function ownPage(plan: CrudPlan, req: Request, asked: Row, listed: ToOutput): Promise<AnyPage<Row>> | undefined {
  for (const { readList } of plan.features) {
    const own = readList?.(req, asked, listed)
    if (own !== undefined) return own
  }
  return undefined
}

async function readPage(plan: CrudPlan, req: Request, asked: Row, listed: ToOutput): Promise<AnyPage<Row>> {
  const { options, store } = plan
  const query = await listQuery(plan, req, asked)
  const { where, order, keys } = query
  const source = keys === undefined ? store.list({ where, order }) : await store.find(keys, where)
  const { cursor, limit } = asked as { cursor?: string; limit: number }
  if (cursor !== undefined) return cursorPage(plan, req, query, { found: source, cursor, limit, toOutput: listed })
  const found = await paginate(source, pagingOf(options, asked))
  return markPage({ ...found, items: await listed(found.items) })
}

/** The options of `paginate`; the schema of the list has checked `page` and `limit`. */
interface Paging {
  readonly page: number
  readonly limit: number
  readonly total: true
}

function pagingOf({ total = true }: AnyOptions, { page, limit }: Row): Paging {
  return { page, limit, total } as Paging
}
