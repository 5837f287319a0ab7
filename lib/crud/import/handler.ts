import type { Request, Response } from 'express'
import { findOrFail, HttpError } from '../../errors.js'
import { reply, type Reply } from '../../reply.js'
import { RequestParam } from '../../request-param.js'
import { extendDeadline, stateOf } from '../../routing/request-state.js'
import { deadlineOf } from '../deadline.js'
import type { CrudPlan } from '../plan.js'
import { runAfterCommit } from '../transaction.js'
import { importAll } from './import-all.js'
import { importEach } from './import-each.js'
import type { ImportSettings } from './options.js'
import { rowsOf, type RowReading } from './rows.js'

/** Seconds that a server waits longer than the import itself, whose own answer says more. */
const GRACE = 5

/** How many rows are read again at once for the hook `afterCommit`. */
const BATCH = 500

/** The handler of `import`. */
export function importHandler(plan: CrudPlan, settings: ImportSettings, reading: RowReading) {
  const withinDeadline = deadlineOf(settings.deadline)
  const importRows = settings.partial ? importEach : importAll
  return async (req: Request, res: Response, { dryRun = false }: { readonly dryRun?: boolean | undefined }): Promise<Reply<Imported>> => {
    const file = findOrFail(RequestParam.file(req, 'file'))
    const progress = progressOf(`Import into ${stateOf(req).route?.resource ?? 'a resource'}`, settings.logEvery)
    extendDeadline(res, settings.deadline + GRACE)
    const outcome = await withinDeadline((inTime) => unlessLeft(res, (isLeft) => importRows({
      plan, req, isTrial: dryRun, rows: () => rowsOf(file, reading), progress,
      stillWanted: () => {
        inTime()
        if (isLeft()) throw new Error('Nobody waits for this import any more.')
      },
    })))
    const { rows, keys, faults } = outcome
    if (!dryRun) await announce(plan, req, keys)
    return reply(dryRun ? 'Tried, and nothing written' : 'Imported', { rows, created: keys.length, dryRun, ...(faults !== undefined && { faults }) })
  }
}

interface Imported {
  readonly rows: number
  readonly created: number
  readonly dryRun: boolean
  readonly faults?: Readonly<Record<string, readonly string[]>>
}

function progressOf(what: string, every: number) {
  return (done: number, total?: number): void => {
    if (done % every === 0) console.error(`${what}: ${done} ${total === undefined ? '' : `of ${total} `}rows`)
  }
}

/** Whatever goes wrong once the caller has left (the file goes with them) is no fault of ours. */
async function unlessLeft<T>(res: Response, work: (isLeft: () => boolean) => Promise<T>): Promise<T> {
  const isLeft = (): boolean => res.destroyed || res.writableEnded
  try {
    return await work(isLeft)
  } catch (cause) {
    throw isLeft() ? new HttpError(400, 'The caller has left', { reason: 'unreadable', cause }) : cause
  }
}

/** Reads again what was written, some at a time, where somebody wants to know of it. */
async function announce(plan: CrudPlan, req: Request, keys: readonly unknown[]): Promise<void> {
  if (plan.options.afterCommit?.create === undefined) return
  for (let start = 0; start < keys.length; start += BATCH) {
    const rows = await plan.store.find(keys.slice(start, start + BATCH))
    await runAfterCommit(plan.options, req, [{ action: 'create', rows }])
  }
}
