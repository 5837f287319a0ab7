import type { Request } from 'express'
import type { Fields } from '../../errors.js'
import type { CrudPlan } from '../plan.js'
import type { ImportRow } from './rows.js'

/** One import while it runs. */
export interface ImportRun {
  readonly plan: CrudPlan
  readonly req: Request
  readonly isTrial: boolean
  /** The rows of the file, from the start each time. */
  readonly rows: () => AsyncIterable<ImportRow>
  /** @throws when there is no time left, or nobody to answer any more. */
  readonly stillWanted: () => void
  /** Says so many rows are done, of so many where that is known. */
  readonly progress: (done: number, total?: number) => void
}

export interface ImportOutcome {
  readonly rows: number
  /** The keys of the rows that were written. */
  readonly keys: readonly unknown[]
  /** Of rows that were left out. */
  readonly faults?: Fields
}
