import { type CheckTime, type HttpError, keepMessages, messagesOf, ValidationError, withoutUndoneFiles,
  type Fields } from '../../../core/index.js'
import { createsTogether, explainedError, hasOwnCode, lockAbove, rowWriter, type AnyStore, type Call, type Naming,
  type Row } from '../../core/index.js'
import { Faults, ImportError, isFault, MOST_FAULTS, type ImportRow } from './file-rows.js'

interface ImportRun {
  readonly call: Call
  readonly isTrial: boolean
  /** The rows of the file, each parsed once. */
  readonly rows: AsyncIterable<ImportRow>
  /** Returns the seconds that are left; throws when there are none, or the caller has left. */
  readonly checkWanted: CheckTime
  /** Logs that so many rows are done, of so many where that is known. */
  readonly progress: (done: number, total?: number) => void
  /** Runs the hook `afterCommit` on rows with these keys. */
  readonly announce: (keys: readonly unknown[]) => Promise<void>
}

interface ImportOutcome {
  readonly rows: number
  /** The keys of the rows that were written. */
  readonly keys: readonly unknown[]
  /** The faults of rows that were not written. */
  readonly faults?: Fields
}

/** The rows that are written together. */
const BATCH = 500

/**
 * Imports all rows or none: the whole file is checked before the store is used, and then written in one transaction,
 * in batches where that is possible. If a batch is refused, all is undone and written again, row by row from that batch
 * on, to find the line.
 *
 * @throws ImportError naming every line that the input refuses, or the first that the store, a hook or a rule refuses.
 */
export async function importAll(run: ImportRun): Promise<ImportOutcome> {
  const { call, checkWanted, progress } = run
  const rows = await validRows(run)
  // Rows from this one on are written one by one.
  let single = createsTogether(call.plan, call.store) ? rows.length : 0
  let start = 0
  const write = async (inside: Call): Promise<unknown[]> => {
    const { store } = inside
    await lockAbove(inside, { sent: rows.map(({ args }) => args) })
    const writer = await rowWriter(inside)
    const keys: unknown[] = []
    const done = (row: Row): void => progress(keys.push(row[store.key]), rows.length)
    for (start = 0; start < rows.length; start += BATCH) {
      const batch = rows.slice(start, start + BATCH)
      checkWanted()
      const naming = start < single ? undefined : namingOf(batch, checkWanted)
      const created = await writer.createAll(batch.map(({ args }) => args), naming)
      created.forEach(done)
    }
    checkWanted()
    return keys
  }
  for (;;) {
    try {
      return { rows: rows.length, keys: await inTrial(run, write) }
    } catch (error) {
      if (error instanceof RowFault) throw importError([[error.line, await explainedFault(call, error.fault)]])
      if (error instanceof ImportError || start >= single || !isFault(error)) throw error
      single = start
    }
  }
}

/** Returns the rows of a file without faults. They are kept, so that the checks of `input` run once for each row. */
async function validRows({ rows, checkWanted }: ImportRun): Promise<ImportRow[]> {
  const faults = new Faults()
  const checked: ImportRow[] = []
  for await (const row of rows) {
    checkWanted()
    if (row.fault !== undefined) faults.add(row.line, row.fault)
    if (faults.isFull) break
    if (faults.lines === 0) checked.push(row)
  }
  if (faults.lines > 0) throw new ImportError(faults)
  return checked
}

/** Names the lines of a batch; a batch hook may name them by the index of the row: `"3.email"`. */
function namingOf(batch: readonly ImportRow[], beforeEach: () => void): Naming {
  const lineOf = (index: number): number => batch[index]?.line ?? 0
  return {
    beforeEach,
    nameRow: (index, error) => (isFault(error) ? new RowFault(lineOf(index), error) : error),
    nameBatch: (error) => {
      const parts = error instanceof ValidationError ? partsByIndex(error) : []
      return parts.length === 0 ? error : importError(parts.map(([index, fault]) => [lineOf(index), fault]))
    },
  }
}

/** Ends the transaction in which the row of a line was refused. */
class RowFault extends Error {
  readonly line: number
  readonly fault: HttpError

  constructor(line: number, fault: HttpError) {
    super(`The row of line ${line} was refused.`)
    this.line = line
    this.fault = fault
  }
}

/** Returns the fault of a row as features explain it, after the transaction that it has ended. */
async function explainedFault(call: Call, fault: HttpError): Promise<HttpError> {
  const explained = await explainedError(call, fault)
  if (isFault(explained)) return explained
  throw explained
}

function importError(faulty: readonly (readonly [line: number, fault: HttpError])[]): ImportError {
  const faults = new Faults()
  for (const [line, fault] of faulty) faults.add(line, fault)
  return new ImportError(faults)
}

/** Returns the parts of an error whose fields begin with the index of a row, each without the index. */
function partsByIndex({ fields }: ValidationError): (readonly [index: number, fault: ValidationError])[] {
  return Object.entries(messagesOf(fields)).flatMap(([field, messages]) => {
    const [, index, rest = '_'] = /^(\d+)(?:\.(.+))?$/.exec(field) ?? []
    return index === undefined ? [] : [[Number(index), new ValidationError({ [rest]: messages })] as const]
  })
}

/**
 * Imports each row in a transaction of its own: valid rows are written, the faults of the others are reported.
 *
 * @throws NotFoundError where the records that the path names do not exist: no line is at fault then.
 */
export async function importEach(run: ImportRun): Promise<ImportOutcome> {
  const faults = new Faults()
  const keys: unknown[] = []
  let rows = 0
  await run.call.plan.scopes.ofRecord(run.call)
  try {
    for await (const row of run.rows) {
      run.checkWanted()
      run.progress(++rows)
      const written = await importOne(run, row).catch(async (error: unknown) => {
        if (!isFault(error)) throw error
        faults.add(row.line, await explainedFault(run.call, error))
      })
      if (written !== undefined) keys.push(written.key)
    }
  } catch (error) {
    // The rows before stay.
    await run.announce(keys)
    throw error
  }
  return { rows, keys, ...(faults.lines > 0 && { faults: keepMessages(faults.fields, MOST_FAULTS).texts }) }
}

async function importOne(run: ImportRun, { args, fault }: ImportRow): Promise<{ readonly key: unknown }> {
  if (fault !== undefined) throw fault
  return inTrial(run, async (inside) => {
    await lockAbove(inside, { sent: [args] })
    const created = await (await rowWriter(inside)).create(args)
    return { key: created[inside.store.key] }
  })
}

/** Undoes a transaction whose work was only a trial. */
class Trial extends Error {
  readonly result: unknown

  constructor(result: unknown) {
    super('This was a trial.')
    this.result = result
  }
}

/** Runs work in a transaction, which is undone in the end where it is a trial; the result is the same. */
async function inTrial<T>(
  { call, isTrial, checkWanted }: ImportRun,
  work: (inside: Call) => Promise<T>,
): Promise<T> {
  const inside = async (store: AnyStore): Promise<T> => {
    const result = await work(call.inside(store))
    if (isTrial) throw new Trial(result)
    return result
  }
  try {
    return await withoutUndoneFiles(call.res, inside, (whole) =>
      call.store.transaction(whole, { seconds: checkWanted(), verify: hasOwnCode(call.plan) }))
  } catch (error) {
    if (error instanceof Trial) return error.result as T
    throw error
  }
}
