import type { Request, Response } from 'express'
import { NotFoundError } from '../errors.js'
import { reply, type Reply } from '../reply.js'
import { RequestParam } from '../request-param.js'
import type { Writing } from './hooks.js'
import type { LooseRow, LooseStore } from './options.js'
import { load, presentOne, type CrudPlan } from './plan.js'
import { declared } from './schemas.js'
import { checkInScope, scopeValues } from './scope.js'
import { permitted, replacement } from './written-fields.js'

const MOST_IDS = 100

type Handler<Result> = (req: Request, res: Response, args: object) => Promise<Result>

/** The handler of `create`. */
export function createHandler(plan: CrudPlan): Handler<LooseRow> {
  const { options, schemas, scopes } = plan
  return async (req, _res, args) => {
    const [row = {}] = await write(plan, req, 'create', async (store) => {
      const context = { req, action: 'create', store } as const
      const scope = await scopes.ofRecord(req)
      const fields = await permitted(options, declared(schemas.create, args), req, schemas.create)
      const changed = await options.before?.create?.(fields, context) ?? fields
      const created = await store.create({ ...changed, ...scopeValues(scope) })
      await checkInScope(store, created, scope)
      await options.after?.create?.(created, context)
      return [created]
    })
    return presentOne(options, row, req)
  }
}

/** The handler of `edit`, which replaces, and of `store`, which changes what was sent. */
export function changeHandler(plan: CrudPlan, action: 'edit' | 'store'): Handler<LooseRow> {
  const { options, schemas, scopes } = plan
  return async (req, _res, args) => {
    const { id, ...sent } = args as LooseRow
    const [row = {}] = await write(plan, req, action, async (store) => {
      const context = { req, action, store } as const
      const scope = await scopes.ofRecord(req)
      const [found = {}] = await load(store, [id], scope)
      await options.check?.(found, context)
      const fields = action === 'edit' ? replacement(schemas.edit, sent) : declared(schemas.store, sent)
      const allowed = await permitted(options, fields, req)
      const changed = await options.before?.[action]?.(allowed, { ...context, row: found }) ?? allowed
      const updated = await store.update(id, changed)
      if (updated === undefined) throw new NotFoundError()
      await checkInScope(store, updated, scope)
      await options.after?.[action]?.(updated, context)
      return [updated]
    })
    return presentOne(options, row, req)
  }
}

/** The handler of `delete`. */
export function deleteHandler(plan: CrudPlan): Handler<null> {
  return async (req, _res, args) => {
    await deleteAll(plan, req, [(args as LooseRow).id])
    return null
  }
}

/** The handler of `deleteMany`. */
export function deleteManyHandler(plan: CrudPlan): Handler<Reply> {
  return async (req) => {
    const ids = RequestParam.ids(req, { of: plan.schemas.id, max: MOST_IDS })
    await deleteAll(plan, req, ids)
    return reply('Deleted', null, { deleted: ids.length })
  }
}

/** All or none: each is scoped and judged as if it were the only one. */
async function deleteAll(plan: CrudPlan, req: Request, ids: readonly unknown[]): Promise<void> {
  const { options, scopes } = plan
  await write(plan, req, 'delete', async (store) => {
    const context = { req, action: 'delete', store } as const
    const rows = await load(store, ids, await scopes.ofRecord(req))
    for (const row of rows) await options.check?.(row, context)
    for (const row of rows) await options.before?.delete?.(row, context)
    if (await store.delete(ids) < ids.length) throw new NotFoundError()
    for (const row of rows) await options.after?.delete?.(row, context)
    return rows
  })
}

/** One transaction that is not committed when its time is up, and then what is to happen once it is. */
async function write(
  { store, options, withinDeadline }: CrudPlan,
  req: Request,
  action: Writing,
  work: (store: LooseStore) => Promise<LooseRow[]>,
): Promise<LooseRow[]> {
  const rows = await withinDeadline((stillWanted) => store.transaction(async (inside) => {
    const written = await work(inside)
    stillWanted()
    return written
  }))
  const committed = options.committed?.[action]
  if (committed === undefined) return rows
  for (const row of rows) {
    try {
      await committed(row, req)
    } catch (error) {
      console.error(`After ${action} was committed:`, error)
    }
  }
  return rows
}
