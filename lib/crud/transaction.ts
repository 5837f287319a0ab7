import type { Request } from 'express'
import type { Writing } from './hooks.js'
import type { LooseRow, LooseStore } from './options.js'
import type { CrudPlan } from './plan.js'

/** One transaction that is not committed when its time is up, and then what is to happen once it is. */
export async function inTransaction(
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
