import { z } from 'zod'
import { ConflictError, errorWith, isList, isListBody, listFieldsOf, messageGivenTo, messageOf, messagesOf, MisuseError,
  RequestParam, synchronous, ValidationError, type Reply } from '../../../core/index.js'
import { asStored, checkNewFields, checkPathFields, CREATING, createsTogether, inTransaction, MOST_ROWS, nameItem,
  namingItem, preconditionOf, READ_ONLY, readOnlyIn, rowWriter, successReply, toCheckedOutput, type Action, type Call,
  type CrudHandler, type Feature, type Naming, type Row, type Schemas, type Titled } from '../../core/index.js'

type BulkName = 'createMany' | 'updateMany'
export type BulkChoice = true | readonly BulkName[] | undefined

export interface BulkOption<Chosen> {
  /** Adds `createMany` and `updateMany`, or those named: at most 100 rows at once, all or none. @default neither */
  readonly bulk?: Chosen | undefined
}

/** A bulk action. */
export interface BulkAction<Method extends string, Route extends string, I extends z.ZodType<object>,
  Out extends z.ZodType>
  extends Action<I, z.ZodArray<Out>>, Titled
{
  readonly methods: readonly [Method]
  readonly route: Route
}

type Items<In extends z.ZodObject> = z.ZodType<{ items: z.output<In>[] }, { items: readonly z.input<In>[] }>
type Selection<Changed extends z.ZodObject, Id extends z.ZodType> = z.ZodType<
  { ids: z.output<Id>[]; data: Partial<Omit<z.output<Changed>, 'id'>> },
  { ids: readonly z.input<Id>[]; data: Partial<Omit<z.input<Changed>, 'id'>> }
>

interface AllBulkActions<
  In extends z.ZodObject,
  Out extends z.ZodObject,
  Id extends z.ZodType,
  Changed extends z.ZodObject,
> {
  readonly createMany: BulkAction<'POST', '/bulk', Items<In>, Out> & { readonly status: number }
  readonly updateMany: BulkAction<'PUT', '', Selection<Changed, Id>, Out>
}

/** The bulk actions that the option adds. */
export type BulkActions<
  Chosen,
  In extends z.ZodObject,
  Out extends z.ZodObject,
  Id extends z.ZodType,
  Changed extends z.ZodObject = In,
> = Pick<
  AllBulkActions<In, Out, Id, Changed>,
  NamesOf<Chosen>
>

type NamesOf<Chosen> = Chosen extends true ? BulkName
  : Chosen extends readonly (infer Name extends BulkName)[] ? Name
  : never

const NAMES: readonly BulkName[] = ['createMany', 'updateMany']

/** Adds `createMany` and `updateMany`. */
export const bulk: Feature<{ readonly bulk?: BulkChoice }, readonly BulkName[]> = {
  options: { bulk: true },
  actions: NAMES,
  settingsOf({ bulk: chosen }) {
    if (chosen === undefined) return undefined
    if (chosen === true) return NAMES
    if (isList(chosen) && chosen.every((name) => NAMES.includes(name))) return chosen
    throw new MisuseError(
      'crud_option_unknown',
      "`bulk` of crud must be `true` or a list of 'createMany' and 'updateMany'.",
    )
  },
  install({ schemas, schemas: { outputs: output } }, chosen) {
    const createMany = {
      methods: ['POST'],
      route: '/bulk',
      input: itemsSchema(schemas),
      output,
      status: 201,
      message: 'Created',
      handler: createManyHandler,
    }
    const updateMany = {
      methods: ['PUT'],
      route: '',
      input: selectionSchema(schemas),
      output,
      message: 'Saved',
      handler: updateManyHandler,
    }
    return {
      actions: {
        ...(chosen.includes('createMany') && { createMany: { spec: createMany, effect: { createsRows: true } } }),
        ...(chosen.includes('updateMany') && { updateMany: { spec: updateMany, effect: { changesRows: true } } }),
      },
    }
  },
}

function itemsSchema({ create, strictness }: Schemas): z.ZodObject {
  const items = z.object({ items: z.array(create).min(1).max(MOST_ROWS) })
  return strictness.create ? items.strict() : items
}

/**
 * Returns the schema of `updateMany`: the fields of a partial update, and the ids of the rows it is for. Where unknown
 * fields are refused, the key of the one row may be among the fields, as it was received.
 */
function selectionSchema({ id, create, request, strictness }: Schemas): z.ZodObject {
  const { id: _path, ...fields } = request.store.shape
  const data = z.object(strictness.store && !Object.hasOwn(create.shape, 'id') ? { ...fields, id: READ_ONLY } : fields)
  const ids = z
    .array(id, { error: errorWith(messageOf('field.type.ids')) })
    .min(1, { error: errorWith(messageOf('field.ids_missing')) })
    .max(MOST_ROWS, { error: errorWith(messageOf('field.ids_too_many', { max: MOST_ROWS })) })
  const distinct = ids.transform(synchronous((all: unknown[]) => [...new Set(all)]))
  return strictness.store
    ? z.object({ ids: distinct, data: data.strict() }).strict()
    : z.object({ ids: distinct, data })
}

/**
 * The handler of `createMany`: all or none, each a `create` to hooks and rules. Rows are added together where
 * that is possible; if they are refused, they are added again one by one, to name the item.
 */
const createManyHandler: CrudHandler = async (call, args): Promise<Reply> => {
  const { items } = args as { readonly items: readonly Row[] }
  if (!isListBody(call.req)) checkPathFields(call, 'create')
  await checkItems(call, items)
  const create = (isTogether: boolean): Promise<Reply> =>
    inTransaction(call, {
      action: 'create',
      target: { sent: items },
      run: async (inside) => {
        const written = await (await rowWriter(inside)).createAll(items, isTogether ? undefined : NAMING)
        const created = await asStored(inside, CREATING, written)
        const outputs = await toCheckedOutput(inside, created)
        return { rows: created, reply: successReply(inside, 'Created', outputs, { created: created.length }) }
      },
    })
  // A transaction that has begun before cannot be repeated.
  if (call.transaction !== undefined || !createsTogether(call.plan, call.store)) return create(false)
  try {
    return await create(true)
  } catch (error) {
    if (error instanceof ValidationError || error instanceof ConflictError) return create(false)
    throw error
  }
}

/** @throws ValidationError naming the fields of the first item that has some which this caller may not write. */
async function checkItems(call: Call, items: readonly Row[]): Promise<void> {
  const { plan: { options: { fields }, schemas: { strictness } }, req } = call
  if (!strictness.create || fields === undefined) return
  const { items: sent } = isListBody(req) ? listFieldsOf(req) : RequestParam.body(req)
  if (!Array.isArray(sent)) return
  for (const [index, item] of items.entries()) {
    await namingItem(`items.${index}`, () => checkNewFields(call, item, sent[index]))
  }
}

/** The handler of `updateMany`: all or none, each a `store` to hooks and rules. */
const updateManyHandler: CrudHandler = async (call, args): Promise<Reply> => {
  const { ids, data } = args as { readonly ids: readonly unknown[]; readonly data: Row }
  const { data: body } = RequestParam.body(call.req)
  checkPathFields(call, 'store')
  const changes = sentFields(data, body)
  const readOnly = await readOnlyIn(call, 'store', body)
  const precondition = await preconditionOf(call, ids)
  return inTransaction(call, {
    action: 'store',
    target: { ids, sent: [changes] },
    run: async (inside) => {
      const writer = await rowWriter(inside)
      const written: Row[] = []
      const rows = await writer.load('store', ids, precondition)
      for (const [index, row] of rows.entries()) {
        written.push(await namingItem(`ids.${index}`, () => writer.change('store', row, changes, readOnly)))
      }
      const changed = await asStored(inside, ['store'], written)
      const outputs = await toCheckedOutput(inside, changed)
      return { rows: changed, reply: successReply(inside, 'Saved', outputs, { updated: changed.length }) }
    },
  })
}

/** Returns the fields that were sent, without the key: a partial update writes no defaults. */
function sentFields({ id: _key, ...data }: Row, sent: unknown): Row {
  return Object.fromEntries(Object.entries(data).filter(([name]) => Object.hasOwn(sent as object, name)))
}

/** Names the item that an error is about; a batch hook may name it by its index: `"3.email"`. */
const NAMING: Naming = {
  nameRow: (index, error) => nameItem(`items.${index}`, error),
  nameBatch: (error) => {
    if (!(error instanceof ValidationError)) return error
    const fields = Object.entries(messagesOf(error.fields)).map(([field, messages]) =>
      [/^\d+(?:\.|$)/.test(field) ? `items.${field}` : field, messages] as const
    )
    return new ValidationError(Object.fromEntries(fields), messageGivenTo(error), { cause: error })
  },
}
