import type { Request } from 'express'
import { checkFunction, checkMeta, markPage, messageOf, paginate, ValidationError, type AnyPage, type Meta,
  type Reply } from '../../core/index.js'
import { cursorPage } from './cursor.js'
import type { Call, CrudHandler, CrudPlan, ToOutput } from './feature.js'
import { setPageHeaders } from './headers.js'
import { restoreNames, nameCheckOf, wireName } from './list-parameters.js'
import { listQuery } from './list-query.js'
import { PAGE_KEYS } from './options.js'
import type { AnyOptions, Row } from './any-resource.js'
import { successReply, toOutput, toShownReply, withHeaders } from './output.js'
import { loadInScope } from './call.js'

export function listHandler(plan: CrudPlan): CrudHandler {
  const { options, parameters, withinDeadline } = plan
  const { paramNames = {}, headers = false } = options
  if (options.listMeta !== undefined) checkFunction('`listMeta` of crud', options.listMeta)
  const checkNames = nameCheckOf(plan, parameters)
  const metaOfFeatures = plan.features.flatMap(({ listMeta }) => listMeta ?? [])
  return async (call, args): Promise<AnyPage<Row> | Reply> => {
    const { req, res } = call
    await checkNames(call)
    const listArgs = restoreNames(call, parameters, args)
    checkOnePaging(listArgs, paramNames)
    const context = call.context('list')
    const toListed: ToOutput = async (rows) => {
      await options.after?.list?.(rows, context)
      return toOutput(call, rows)
    }
    let meta: Meta = {}
    const page = await withinDeadline(async () => {
      await options.before?.list?.(context)
      const listedPage = await (pageOfFeature(call, listArgs, toListed) ?? readPage(call, listArgs, toListed))
      meta = await metaOfOption(options, req, listedPage)
      for (const listMeta of metaOfFeatures) meta = { ...meta, ...await listMeta(call, listArgs) }
      return listedPage
    })
    if (headers) setPageHeaders(req, res, page, paramNames)
    if (metaOfFeatures.length === 0 && options.listMeta === undefined) return page
    return successReply(call, 'ok', page, meta)
  }
}

/** @throws ValidationError for a page beside a cursor, other than the default 1, which some clients send. */
function checkOnePaging({ page, cursor }: Row, paramNames: NonNullable<AnyOptions['paramNames']>): void {
  if (cursor === undefined || page === 1) return
  const message = messageOf('field.page_or_cursor')
  throw new ValidationError({ [wireName('page', paramNames)]: [message], [wireName('cursor', paramNames)]: [message] })
}

/** Returns the result of the option `listMeta`, without the keys of the page. */
async function metaOfOption({ listMeta }: AnyOptions, req: Request, page: AnyPage<Row>): Promise<Meta> {
  const meta: unknown = await listMeta?.(req, page) ?? {}
  checkMeta('listMeta of crud', meta)
  return Object.fromEntries(Object.entries(meta).filter(([key]) => !PAGE_KEYS.some((taken) => taken === key)))
}

export function showHandler({ options, withinDeadline }: CrudPlan): CrudHandler {
  return (call, { id }): Promise<Row> =>
    withinDeadline(async () => {
      const context = call.context('show')
      await options.before?.show?.(context)
      const row = await shownRow(call, id)
      await options.after?.show?.(row, context)
      return withHeaders(call, await toShownReply(call, row))
    })
}

/** Loads and checks a row as `show` does. @throws NotFoundError where it does not exist for this caller */
export async function shownRow(call: Call, id: unknown): Promise<Row> {
  const { options, scopes } = call.plan
  const [row = {}] = await loadInScope(call.store, [id], await scopes.ofRecord(call))
  await options.check?.(row, call.context('show'))
  return row
}

/** Reads a list as a feature does, `undefined` if no feature reads this one. */
function pageOfFeature(call: Call, listArgs: Row, toListed: ToOutput): Promise<AnyPage<Row>> | undefined {
  for (const { readList } of call.plan.features) {
    const page = readList?.(call, listArgs, toListed)
    if (page !== undefined) return page
  }
  return undefined
}

async function readPage(call: Call, listArgs: Row, toListed: ToOutput): Promise<AnyPage<Row>> {
  const { store, plan: { options: { total = true } } } = call
  const query = await listQuery(call, listArgs)
  const { where, order, keys } = query
  const source = keys === undefined ? store.list({ where, order }) : await store.find(keys, where)
  // The schema of the list has checked their values.
  const { cursor, page, limit } = listArgs as { cursor?: string; page: number; limit: number }
  if (cursor !== undefined) return cursorPage(call, query, { found: source, cursor, limit, toOutput: toListed })
  const found = await paginate(source, { page, limit, total: total as true })
  return markPage({ ...found, items: await toListed(found.items) })
}
