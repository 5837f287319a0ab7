import type { Request, Response } from 'express'
import type { z } from 'zod'
import { serializeReply, stateOf, type SerializedReply } from '../../../core/index.js'
import { columnsOfChange, rowWriter, type RowWriter } from '../../row-writer.js'
import type { CrudPlan } from '../../feature.js'
import type { AnyContext, AnyStore, Row } from '../../options.js'
import { toRecordReply, withHeaders } from '../../output.js'
import { reportingFaults } from '../../own-faults.js'
import { deniedFields } from '../../rules.js'
import { inTransaction, preconditionOf } from '../../transaction.js'
import type { AnyMember } from './options.js'

interface Member {
  readonly input: z.ZodObject
}

interface Changing extends Member {
  readonly change: NonNullable<AnyMember['change']>
}

interface Running extends Member {
  readonly run: NonNullable<AnyMember['run']>
}

/** Changes the loaded row of a member, inside the transaction. */
interface Call {
  readonly writer: RowWriter
  readonly store: AnyStore
  readonly row: Row
  readonly args: Row
  readonly context: AnyContext
}

/** The row as it is written, and the reply about it. */
interface Outcome<T> {
  readonly row: Row
  readonly reply: T
}

/** Returns the handler of a member with `change`, which replies with the record. */
export function changingHandler(plan: CrudPlan, name: string, { input, change }: Changing) {
  const { options } = plan
  const changeRow = reportingFaults(`members.${name}.change`, change)
  return async (req: Request, res: Response, sent: Row): Promise<Row> => {
    const reply = await onRow(plan, req, name, sent, async ({ writer, store, row, args, context }) => {
      const columns = await permittedColumns(plan, req, input, await changeRow(row, args, context))
      const written = await writer.write(row, columns, { schema: input, sent })
      await options.after?.[name]?.(written, context)
      return { row: written, reply: await toRecordReply(plan, written, req, store.db) }
    })
    return withHeaders(res, reply)
  }
}

/** Returns the columns without those of input fields that this caller may not write. */
async function permittedColumns(
  { options }: CrudPlan,
  req: Request,
  { shape }: z.ZodObject,
  columns: Row,
): Promise<Row> {
  const denied = await deniedFields(req, options.fields, 'write')
  return Object.fromEntries(
    Object.entries(columns).filter(([name]) => !denied.has(name) || !Object.hasOwn(shape, name)),
  )
}

/**
 * Returns the handler of a member with `run`; the version is counted up before it runs, and its reply is made before
 * the commit.
 */
export function runningHandler(plan: CrudPlan, name: string, { input, run }: Running) {
  const { options } = plan
  return (req: Request, res: Response, sent: Row): Promise<SerializedReply> =>
    onRow(plan, req, name, sent, async ({ writer, row, args, context }) => {
      const counted = Object.keys(columnsOfChange(plan, row)).length === 0
        ? row
        : await writer.write(row, {}, { schema: input, sent })
      const value = await run(counted, args, context) ?? null
      await options.after?.[name]?.(counted, context)
      const { route } = stateOf(req)
      if (route === undefined) throw new Error(`The member \`${name}\` is called through its own route.`)
      return { row: counted, reply: await serializeReply(res, route, value) }
    })
}

/**
 * Loads, locks and checks the row that the path names, and runs the hook `before` and the work on it, in one
 * transaction.
 */
async function onRow<T>(
  plan: CrudPlan,
  req: Request,
  name: string,
  sent: Row,
  work: (call: Call) => Promise<Outcome<T>>,
): Promise<T> {
  const { options, features } = plan
  const { id } = sent
  const args = Object.assign({}, sent, ...features.map(({ readPathArguments }) => readPathArguments?.(req))) as Row
  const precondition = await preconditionOf(plan, req, [id])
  return inTransaction(plan, req, name, async (store) => {
    const context = { req, action: name, store }
    const writer = await rowWriter(plan, req, store)
    const [found = {}] = await writer.load(name, [id], precondition)
    await options.before?.[name]?.(found, context)
    const { row, reply } = await work({ writer, store, row: found, args, context })
    return { rows: [row], reply }
  }, { ids: [id], sent: [sent] })
}
