import type { z } from 'zod'
import { serializeReply, stateOf, type SerializedReply } from '../../../core/index.js'
import { asStored, columnsFrom, columnsOfChange, inTransaction, preconditionOf, reportingFaults, rowWriter,
  toRecordReply, withHeaders, type AnyContext, type Call, type CrudHandler, type CrudPlan, type Row,
  type RowWriter } from '../../core/index.js'
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

/** The loaded row of a member, inside the transaction. */
interface Loaded {
  readonly call: Call
  readonly writer: RowWriter
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
export function changingHandler({ options }: CrudPlan, name: string, { input, change }: Changing): CrudHandler {
  const changeRow = reportingFaults(`members.${name}.change`, change)
  return async (call, sent): Promise<Row> => {
    const reply = await onRow(call, name, sent, async ({ call: inside, writer, row, args, context }) => {
      const changed = columnsFrom(`members.${name}.change`, await changeRow(row, args, context))
      const columns = await permittedColumns(inside, input, changed)
      const written = await writer.write(row, columns, { schema: input, sent })
      await options.after?.[name]?.(written, context)
      const [stored = written] = await asStored(inside, [name], [written])
      return { row: stored, reply: await toRecordReply(inside, stored) }
    })
    return withHeaders(call, reply)
  }
}

/** Returns the columns without those of input fields that this caller may not write. */
async function permittedColumns(call: Call, { shape }: z.ZodObject, columns: Row): Promise<Row> {
  const denied = await call.denied('write')
  return Object.fromEntries(
    Object.entries(columns).filter(([name]) => !denied.has(name) || !Object.hasOwn(shape, name)),
  )
}

/**
 * Returns the handler of a member with `run`; the version is counted up before it runs, and its reply is made before
 * the commit.
 */
export function runningHandler(plan: CrudPlan, name: string, { input, run }: Running): CrudHandler {
  const { options } = plan
  return (call, sent): Promise<SerializedReply> =>
    onRow(call, name, sent, async ({ call: inside, writer, row, args, context }) => {
      const counted = Object.keys(columnsOfChange(plan, row)).length === 0
        ? row
        : await writer.write(row, {}, { schema: input, sent })
      const value = await run(counted, args, context) ?? null
      await options.after?.[name]?.(counted, context)
      const { route } = stateOf(call.req)
      if (route === undefined) throw new Error(`The member \`${name}\` is called through its own route.`)
      const [stored = counted] = await asStored(inside, [name], [counted])
      return { row: stored, reply: await serializeReply(call.res, route, value) }
    })
}

/**
 * Loads, locks and checks the row that the path names, and runs the hook `before` and the work on it, in one
 * transaction.
 */
async function onRow<T>(
  call: Call,
  name: string,
  sent: Row,
  work: (loaded: Loaded) => Promise<Outcome<T>>,
): Promise<T> {
  const { options, features } = call.plan
  const { id } = sent
  const args = Object.assign({}, sent, ...features.map(({ readPathArguments }) => readPathArguments?.(call))) as Row
  const precondition = await preconditionOf(call, [id])
  return inTransaction(call, {
    action: name,
    target: { ids: [id], sent: [sent] },
    runsOwnCode: true,
    run: async (inside) => {
      const context = inside.context(name)
      const writer = await rowWriter(inside)
      const [found = {}] = await writer.load(name, [id], precondition)
      await options.before?.[name]?.(found, context)
      const { row, reply } = await work({ call: inside, writer, row: found, args, context })
      return { rows: [row], reply }
    },
  })
}
