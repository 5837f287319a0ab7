import { z } from 'zod'
import { checkOptionNames, isSchema, mapValues, MisuseError, pathNamesOf, serializeReply, stateOf,
  type SerializedReply } from '../../../core/index.js'
import { asStored, checkStays, columnsFrom, columnsOfChange, inTransaction, merge, preconditionOf, replyWritten,
  reportingFaults, rowWriter, tellChanged, withHeaders, type AnyContext, type Call, type CrudAction, type CrudHandler,
  type CrudPlan, type Done, type Feature, type Row, type RowWriter } from '../../core/index.js'
import type { AnyMember } from './options.js'

type Members = Readonly<Record<string, AnyMember>>

const NAMES = ['methods', 'route', 'input', 'output', 'message', 'change', 'run']

/** Adds actions on one row. */
export const members: Feature<{ readonly members?: Members }, Members> = {
  options: { members: 'object' },
  hooks: (settings) => Object.keys(settings),
  settingsOf({ members: option }, _key, reserved) {
    if (option === undefined) return undefined
    for (const [name, member] of Object.entries(option)) checkMember(name, member, reserved)
    return option
  },
  install: (plan, settings) => ({
    actions: mapValues(settings, (member, name) => actionOf(plan, name, member)),
  }),
}

/**
 * @throws MisuseError `crud_members` for a member that cannot be an action; `crud_option_unknown` for a name that a
 * member does not have.
 */
function checkMember(name: string, member: AnyMember, reserved: readonly string[]): void {
  checkOptionNames(`\`members.${name}\` of crud`, member, NAMES, 'crud_option_unknown')
  const { route = `/:id/${name}`, input, output, change, run } = member
  const hasNoShape = input !== undefined && !(isSchema(input) && 'shape' in input)
  const faults: readonly (readonly [isFault: boolean, words: string])[] = [
    [reserved.includes(name), 'has the name of an action that crud makes itself'],
    [!pathNamesOf(route).includes('id'), `has the route \`${route}\` without \`:id\`, which names the row`],
    [hasNoShape, 'needs a `z.object` as its `input`'],
    [
      !hasNoShape && input !== undefined && Object.hasOwn(input.shape, 'id'),
      'has `id` in its `input`, although only the path names the row',
    ],
    [
      !isOneFunction([change, run]),
      'needs one of two functions: `change`, which returns the columns to write, or `run`, which returns the reply',
    ],
    [
      output !== undefined && change !== undefined,
      'has an `output` beside `change`, which replies with the record: that is for `run`',
    ],
  ]
  const fault = faults.find(([isFault]) => isFault)
  if (fault !== undefined) throw new MisuseError('crud_members', `The member \`${name}\` of crud ${fault[1]}.`)
}

function isOneFunction(works: readonly unknown[]): boolean {
  const [work, ...more] = works.filter((work) => work !== undefined)
  return typeof work === 'function' && more.length === 0
}

function actionOf(plan: CrudPlan, name: string, member: AnyMember): CrudAction {
  const { schemas } = plan
  const { methods = 'POST', route = `/:id/${name}`, input = z.object({}), change, run, output, message } = member
  const spec = { methods, route, input: input.safeExtend({ id: schemas.id }) }
  const effect = { changesRows: true, repeats: true }
  if (run !== undefined) {
    const sent = { output: output ?? z.unknown(), message: message ?? 'ok' }
    return { spec: { ...spec, ...sent, handler: runningHandler(plan, name, { input, run }) }, effect }
  }
  const handler = changingHandler(plan, name, { input, change: change ?? (() => ({})) })
  return {
    spec: { ...spec, output: schemas.output, message: message ?? 'Saved', handler },
    effect: { ...effect, repliesRecord: true },
  }
}

/** The parts of a member that its handler needs. */
type Work<Name extends 'change' | 'run'> = Required<Pick<AnyMember, 'input' | Name>>

/** The loaded row of a member, inside the transaction. */
interface Loaded {
  readonly call: Call
  readonly writer: RowWriter
  readonly row: Row
  readonly args: Row
  readonly context: AnyContext
}

/** Returns the handler of a member with `change`, which replies with the record. */
function changingHandler({ options }: CrudPlan, name: string, { input, change }: Work<'change'>): CrudHandler {
  const changeRow = reportingFaults(`members.${name}.change`, change)
  return async (call, sent): Promise<Row> => {
    const reply = await onRow(call, name, sent, async ({ call: inside, writer, row, args, context }) => {
      const changed = columnsFrom(`members.${name}.change`, await changeRow(row, args, context))
      const columns = await permittedColumns(inside, input, changed)
      const written = await writer.write(row, columns, { schema: input, sent })
      await options.after?.[name]?.(written, context)
      if (options.after?.[name] !== undefined) await checkStays(inside, written)
      return replyWritten(inside, [name], [written])
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
 * Returns the handler of a member with `run`. The version of the row, or of the record that it is a child of, is
 * counted up before it runs, and its reply is made before the commit.
 */
function runningHandler(plan: CrudPlan, name: string, { input, run }: Work<'run'>): CrudHandler {
  const { options } = plan
  return (call, sent): Promise<SerializedReply> =>
    onRow(call, name, sent, async ({ call: inside, writer, row, args, context }) => {
      const isCounted = Object.keys(columnsOfChange(plan, row)).length > 0
      const counted = isCounted ? await writer.write(row, {}, { schema: input, sent }) : row
      if (!isCounted) await tellChanged(inside, [row])
      const value = await run(counted, args, context) ?? null
      await options.after?.[name]?.(counted, context)
      const { route } = stateOf(call.req)
      if (route === undefined) throw new Error(`The member \`${name}\` is called through its own route.`)
      const rows = await asStored(inside, [name], [counted])
      return { rows, reply: await serializeReply(call.res, route, value) }
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
  work: (loaded: Loaded) => Promise<Done<T>>,
): Promise<T> {
  const { options, features } = call.plan
  const { id } = sent
  const args = merge([sent, ...features.map(({ readPathArguments }) => readPathArguments?.(call))])
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
      return work({ call: inside, writer, row: found, args, context })
    },
  })
}
