import type { Response } from 'express'
import type { z } from 'zod'
import { columnsOf } from '../../../core/csv/columns.js'
import { loadNow } from '../../../core/csv/missing.js'
import { csvParser } from '../../../core/csv/packages.js'
import { extendDeadline, findOrFail, HttpError, logLate, messageOf, reply, RequestParam, stateOf,
  type Reply } from '../../../core/index.js'
import { askFieldRules, checkNewFields, nameCheckOf, runAfterCommit, shapeOf, storeDeadline, successReply, type Call,
  type CrudHandler, type CrudPlan, type Feature } from '../../core/index.js'
import { headerReader, rowsOf, type RowReading } from './file-rows.js'
import { importOutput, importSettings, trialInput, type ImportOptions, type ImportSettings } from './options.js'
import { importAll, importEach } from './write-rows.js'

/** Seconds that a server waits longer than the import itself, whose own reply is more precise. */
const GRACE = 5

/** The rows that are read again at once for the hook `afterCommit`. */
const BATCH = 500

export const csvImport: Feature<{ readonly import?: true | ImportOptions | undefined }, ImportSettings> = {
  options: { import: { names: ['columns', 'maxRows', 'maxBytes', 'partial', 'deadline', 'logEvery'], orTrue: true } },
  actions: ['import'],
  settingsOf: ({ import: option }) => (option === undefined ? undefined : importSettings(option)),
  install(plan, settings) {
    const files = { file: { maxBytes: settings.maxBytes, required: true } }
    const spec = {
      methods: ['POST'],
      route: '/import',
      summary: 'Import a CSV file',
      input: trialInput,
      query: trialInput,
      output: importOutput,
      files,
      message: 'Imported',
      handler: importHandler(plan, settings),
    }
    return { actions: { import: { spec } } }
  },
}

/** Returns the columns of a file: headings of an export are known too, so that its files can be imported. */
function readingOf({ schemas, features }: CrudPlan, { columns: chosen, maxRows }: ImportSettings): RowReading {
  const exported = new Map(features.flatMap(({ headings = [] }) => [...headings]))
  const related = features.flatMap(({ relatedFields = [] }) => relatedFields)
  const fields = Object.keys(schemas.create.shape).filter((field) => !related.includes(field))
  const columns = columnsOf(chosen ?? Object.fromEntries(fields.map((field) => [field, exported.get(field)])))
  const readHeader = headerReader(schemas.create, columns, [...Object.keys(schemas.output.shape), ...exported.values()])
  return {
    csv: loadNow(async () => {
      await csvParser()
      return import('../../../core/csv/read-csv.js')
    }),
    readHeader,
    input: withoutNeed(schemas.create, related),
    maxRows,
  }
}

/** Returns a schema in which fields that a file cannot have, such as lists of children, are not needed. */
function withoutNeed(schema: z.ZodObject, names: readonly string[]): z.ZodObject {
  const present = Object.entries(shapeOf(schema)).filter(([name]) => names.includes(name))
  if (present.length === 0) return schema
  return schema.safeExtend(Object.fromEntries(present.map(([name, field]) => [name, field.optional()])))
}

function importHandler(plan: CrudPlan, settings: ImportSettings): CrudHandler {
  const checkNames = nameCheckOf(plan, [{ name: 'dryRun' }], { form: true })
  const reading = readingOf(plan, settings)
  const withinDeadline = storeDeadline(settings.deadline)
  const importRows = settings.partial ? importEach : importAll
  return async (call, { dryRun }): Promise<Reply> => {
    await checkNames(call)
    const { req, res } = call
    const isTrial = dryRun === true
    const file = findOrFail(RequestParam.file(req, 'file'))
    const progress = progressOf(`Import into ${stateOf(req).route?.resource ?? 'a resource'}`, settings.logEvery)
    extendDeadline(res, settings.deadline + GRACE)
    const outcome = await withinDeadline(async (checkTime) => {
      await askFieldRules(call)
      return whileCallerWaits(res, (hasLeft) =>
        importRows({
          call,
          isTrial,
          rows: rowsOf(file, reading, (args, sent) => checkNewFields(call, args, sent)),
          progress,
          checkWanted: () => {
            if (hasLeft()) throw new Error('The caller of this import has left.')
            return checkTime()
          },
          announce: (keys) => (isTrial ? Promise.resolve() : announce(call, keys)),
        }))
    })
    const { rows, keys, faults } = outcome
    if (!isTrial) await announce(call, keys)
    const report = { rows, created: keys.length, dryRun: isTrial, ...(faults !== undefined && { faults }) }
    return isTrial ? reply('Checked, nothing was imported', report) : successReply(call, 'Imported', report)
  }
}

function progressOf(what: string, every: number) {
  return (done: number, total?: number): void => {
    if (done % every === 0) console.error(`${what}: ${done} ${total === undefined ? '' : `of ${total} `}rows`)
  }
}

/** Runs an import. Once the caller has left, and the file with it, an error is reported as the caller's. */
async function whileCallerWaits<T>(res: Response, work: (hasLeft: () => boolean) => Promise<T>): Promise<T> {
  const hasLeft = (): boolean => res.destroyed || res.writableEnded
  try {
    return await work(hasLeft)
  } catch (cause) {
    throw hasLeft() ? new HttpError(400, messageOf('unreadable.aborted'), { cause }) : cause
  }
}

/**
 * Runs the hook `afterCommit`, where there is one, on the rows that were written, which are read again in batches. An
 * error of the store is logged as one of the hook is: the rows are committed.
 */
async function announce({ req, store, plan: { options, withinDeadline } }: Call,
  keys: readonly unknown[]): Promise<void>
{
  if (options.afterCommit?.create === undefined) return
  try {
    for (let start = 0; start < keys.length; start += BATCH) {
      const rows = await withinDeadline(() => store.find(keys.slice(start, start + BATCH)))
      await runAfterCommit(req, [{ action: 'create', rows, options }])
    }
  } catch (error) {
    logLate(error, req, 'After an import was committed')
  }
}
