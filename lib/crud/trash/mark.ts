import { NotFoundError } from '../../errors.js'
import { nextVersion } from '../if-match/version.js'
import type { LooseRow, LooseStore } from '../options.js'
import type { CrudPlan } from '../plan.js'
import type { Bin } from './bin.js'

const SECOND = 1000

/**
 * Puts rows into the bin, all at one time.
 *
 * In a tree that time is what tells later which rows have gone together: it is not that of any row in the bin that stands right below.
 */
export async function mark({ options, tree }: CrudPlan, { field, inside }: Bin, store: LooseStore, rows: readonly LooseRow[]): Promise<void> {
  const [first, ...others] = rows
  if (first === undefined) return
  const put = async (row: LooseRow, time: Date): Promise<Date> => {
    const marked = await store.update(row[store.key], { [field]: time, ...nextVersion(options, row) })
    if (marked === undefined) throw new NotFoundError()
    return marked[field] as Date
  }
  const keys = rows.map((row) => row[store.key]) as object[]
  const [before] = tree?.onDelete !== 'cascade' ? [] : await store.list({ where: [...inside, [tree.parent, 'in', keys]], order: [`-${field}`, store.key] }).slice(0, 1)
  const last = before === undefined ? -Infinity : Number(before[field])
  let time = await put(first, new Date(Math.max(Date.now(), last + 1)))
  // A column of whole seconds has cut the millisecond off.
  if (Number(time) <= last) time = await put(first, new Date(last + SECOND))
  for (const row of others) await put(row, time)
}
