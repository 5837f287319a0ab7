import type { Request } from 'express'
import { z } from 'zod'
import { HttpError, MisuseError } from '../../errors.js'
import { parse, summaryOf, zodErrorOf, type Faults } from '../../validate/parse.js'
import type { ListedQuery } from '../list-query.js'
import type { LooseRow } from '../options.js'
import { present, type CrudPlan } from '../plan.js'

/** How many rows are read at once. */
const PAGE = 500

/**
 * All rows of a list as they leave, read page by page behind the last row: neither a transaction nor a connection is held while the
 * caller reads.
 *
 * A row that is there all the time comes once, unless what it is ordered by changes meanwhile.
 */
export async function* exportedRows(plan: CrudPlan, req: Request, { where, order, keys }: ListedQuery): AsyncGenerator<LooseRow> {
  const { store, withinDeadline } = plan
  const show = shower(plan, req)
  if (keys !== undefined) {
    yield* await withinDeadline(async () => show(await store.find(keys, where)))
    return
  }
  const source = store.list({ where, order })
  let position: readonly unknown[] | null = null
  do {
    const page: { rows: LooseRow[]; next: readonly unknown[] | null } = await withinDeadline(async () => {
      if (source.sliceAfter === undefined) throw new MisuseError('crud_export', 'An export needs a store whose lists have `sliceAfter`.')
      const { items, next } = await source.sliceAfter(position, PAGE)
      return { rows: await show(items), next }
    })
    yield* page.rows
    position = page.next
  } while (position !== null)
}

/** What leaves of rows, as in a list: hook, transform, field rules and output. */
function shower(plan: CrudPlan, req: Request) {
  const { options, store, schemas } = plan
  const output = z.array(schemas.output)
  return async (rows: readonly LooseRow[]): Promise<LooseRow[]> => {
    await options.after?.list?.(rows, { req, action: 'list', store })
    return await parse(output, await present(plan, rows, req), brokenOutput) as LooseRow[]
  }
}

function brokenOutput(faults: Faults): Error {
  return new HttpError(500, `What was to be exported does not fit its output (${summaryOf(faults)})`, { cause: zodErrorOf(faults) })
}
