import { rowWriter } from '../row-writer.js'
import { Faults, isFault } from './faults.js'
import type { ImportRow } from './rows.js'
import type { ImportOutcome, ImportRun } from './run.js'
import { transacted } from './trial.js'

/** Each row in a transaction of its own: what is in order is written, the rest is told. */
export async function importEach(run: ImportRun): Promise<ImportOutcome> {
  const faults = new Faults()
  const keys: unknown[] = []
  let rows = 0
  for await (const row of run.rows()) {
    run.stillWanted()
    run.progress(++rows)
    try {
      keys.push(await importOne(run, row))
    } catch (error) {
      if (!isFault(error)) throw error
      faults.add(row.line, error)
    }
  }
  return { rows, keys, ...(faults.lines > 0 && { faults: faults.fields }) }
}

function importOne({ plan, req, isTrial }: ImportRun, { args, fault }: ImportRow): Promise<unknown> {
  if (fault !== undefined) throw fault
  return transacted(plan.store, isTrial, async (store) => {
    const created = await (await rowWriter(plan, req, store)).create(args)
    return created[store.key]
  })
}
