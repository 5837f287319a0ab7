import type { Request, Response } from 'express'
import { ConflictError, NotFoundError } from '../../errors.js'
import { onEach } from '../hooks.js'
import { presentTagged } from '../if-match/tag.js'
import { nextVersion } from '../if-match/version.js'
import type { LooseRow, LooseStore } from '../options.js'
import { load, type CrudPlan } from '../plan.js'
import { inTransaction } from '../transaction.js'
import { checkReturn } from '../tree/place.js'
import { descendantsOf } from '../tree/walk.js'
import { MOST_ROWS } from '../write.js'
import { checkAllowed, type Bin } from './bin.js'

/** The handler of `restore`: takes a row out of the bin, and with it what was put there with it. */
export function restoreHandler(plan: CrudPlan, bin: Bin) {
  const { options, scopes } = plan
  return async (req: Request, res: Response, { id }: { readonly id: unknown }): Promise<LooseRow> => {
    await checkAllowed(bin, req)
    const [row = {}] = await inTransaction(plan, req, 'restore', async (store) => {
      const context = { req, action: 'restore', store } as const
      const [found = {}] = await load(store, [id], await scopes.ofBin(req))
      await options.check?.(found, context)
      const rows = [found, ...await together(plan, bin, store, found, req)]
      await onEach(rows.slice(1), options.check, context)
      await onEach(rows, options.before?.restore, context)
      const restored: LooseRow[] = []
      for (const each of rows) restored.push(await takeOut(plan, bin, store, each))
      await onEach(restored, options.after?.restore, context)
      return restored
    })
    return presentTagged(plan, row, req, res)
  }
}

async function takeOut({ options }: CrudPlan, { field }: Bin, store: LooseStore, row: LooseRow): Promise<LooseRow> {
  const restored = await store.update(row[store.key], { [field]: null, ...nextVersion(options, row) })
  if (restored === undefined) throw new NotFoundError()
  return restored
}

/**
 * What was put into the bin with a row because it stood below.
 *
 * @throws ConflictError where a row can no longer be what it was in the tree, or some of these are out of this caller's reach.
 */
async function together({ tree, scopes }: CrudPlan, { field, outside }: Bin, store: LooseStore, row: LooseRow, req: Request): Promise<LooseRow[]> {
  if (tree === undefined) return []
  // A bulk call has put others into the bin beside what hung on them.
  const whole = { ...tree, size: tree.size + MOST_ROWS }
  const levels = tree.onDelete === 'cascade' ? await descendantsOf(store, whole, [row], [[field, '=', row[field]]]) : []
  await checkReturn(store, tree, row, 1 + levels.length, outside)
  const others = levels.flat()
  const reached = await store.find(others.map((other) => other[store.key]), await scopes.ofBin(req))
  if (reached.length < others.length) throw new ConflictError('Something that went with this is out of your reach', { reason: 'conflict_children' })
  return others
}
