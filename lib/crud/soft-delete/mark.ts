import { NotFoundError } from '../../errors.js'
import type { HookContext } from '../hooks.js'
import { nextVersion } from '../if-match/version.js'
import type { LooseRow } from '../options.js'
import type { CrudPlan } from '../plan.js'
import { blaming, NO_PART } from '../violations.js'
import type { SoftDelete } from './soft-delete.js'

const SECOND = 1000

/**
 * Marks rows as deleted, all with the same time.
 *
 * In a tree that time tells later which rows were deleted together, so it differs from that of each child that was deleted before.
 */
export async function mark(plan: CrudPlan, { field, deleted }: SoftDelete, { req, store }: Pick<HookContext<LooseRow, unknown>, 'req' | 'store'>, rows: readonly LooseRow[]): Promise<void> {
  const { options, tree } = plan
  const [first, ...others] = rows
  if (first === undefined) return
  const put = async (row: LooseRow, time: Date): Promise<Date> => {
    const marked = await blaming(plan, req, NO_PART, () => store.update(row[store.key], { [field]: time, ...nextVersion(options, row) }))
    if (marked === undefined) throw new NotFoundError()
    return marked[field] as Date
  }
  const keys = rows.map((row) => row[store.key]) as object[]
  const [before] = tree?.onDelete !== 'cascade' ? [] : await store.list({ where: [...deleted, [tree.parent, 'in', keys]], order: [`-${field}`, store.key] }).slice(0, 1)
  const last = before === undefined ? -Infinity : Number(before[field])
  let time = await put(first, new Date(Math.max(Date.now(), last + 1)))
  // A column of whole seconds has cut the millisecond off.
  if (Number(time) <= last) time = await put(first, new Date(last + SECOND))
  for (const row of others) await put(row, time)
}
