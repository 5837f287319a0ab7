import { rowWriter } from '../row-writer.js'
import { Faults, ImportError, isFault } from './faults.js'
import type { ImportOutcome, ImportRun } from './run.js'
import { transacted } from './trial.js'

/**
 * All rows or none: the whole file is checked before the store is asked for anything, and then written in one transaction.
 *
 * @throws ImportError naming every line that the input refuses, or the first that the store, a hook or a rule refuses.
 */
export async function importAll(run: ImportRun): Promise<ImportOutcome> {
  const rows = await checkRows(run)
  const keys = await transacted(run.plan.store, run.isTrial, async (store) => {
    const writer = await rowWriter(run.plan, run.req, store)
    const written: unknown[] = []
    for await (const { line, args } of run.rows()) {
      run.stillWanted()
      const created = await onLine(line, () => writer.create(args))
      run.progress(written.push(created[store.key]), rows)
    }
    run.stillWanted()
    return written
  })
  return { rows, keys }
}

/** How many there are, when all of them are in order. */
async function checkRows({ rows, stillWanted }: ImportRun): Promise<number> {
  const faults = new Faults()
  let count = 0
  for await (const { line, fault } of rows()) {
    stillWanted()
    count++
    if (fault !== undefined) faults.add(line, fault)
    if (faults.isFull) break
  }
  if (faults.lines > 0) throw new ImportError(faults)
  return count
}

async function onLine<T>(line: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!isFault(error)) throw error
    const faults = new Faults()
    faults.add(line, error)
    throw new ImportError(faults)
  }
}
