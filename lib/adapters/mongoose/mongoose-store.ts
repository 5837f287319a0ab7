import { checkOptionNames, MisuseError, show } from '../../core/index.js'
import { checkValues, checkWhere, withoutUndefined, withTable, type AnyWhere, type Place,
  type Store } from '../../crud/contract/index.js'
import { asStored } from './failures.js'
import { comparedColumns, filterOf } from './filter.js'
import { checkModel, columnsOf, KEY, type Model, type Session, type Values } from './library.js'
import { pagesOf, type Read } from './pages.js'
import { documentOf, rowOf, type Known } from './values.js'
import { reading, transacting, writing } from '../sql/calls.js'
import type { NoColumns } from '../sql/kinds.js'

/** A Mongoose model, by structure alone. */
export interface MongooseModel<Document, Session> {
  readonly modelName: string
  castObject(fields: never, options?: never): Document
  startSession(options?: never): Promise<Session>
}

type Typed = Readonly<Record<string, 'calendarDate'>>

/** A value of a document in a row: an ObjectId, a UUID and a Decimal128 as a string. */
type Plain<Value> = Value extends { readonly _bsontype: 'ObjectId' | 'Decimal128' } | { toHexString(): string } ? string
  : Value extends string | number | bigint | boolean | Date | Uint8Array | null ? Value
  : Value extends { readonly isMongooseDocumentArray: true } ? unknown[]
  : Value extends ReadonlyMap<string, infer Inner> ? Readonly<Record<string, Plain<Inner>>>
  : Value extends readonly (infer Each)[] ? Plain<Each>[]
  : Value extends object ? { [K in keyof Value]: Plain<Value[K]> }
  : Value

/** A path that a document may lack is null in a row. */
type InRow<Value> = Plain<Exclude<Value, undefined>> | (undefined extends Value ? null : never)

/** A row of a model: its paths, `_id` as `id`. */
export type MongooseRow<Document, C = NoColumns> =
  & { id: Document extends { _id: infer Id } ? Plain<Id> : string }
  & {
    [K in keyof Document as K extends '_id' | '__v' | 'id' ? never : K]-?: K extends keyof C
      ? string | (undefined extends Document[K] ? null : never) | Extract<Document[K], null>
      : InRow<Document[K]>
  }

export interface MongooseStoreOptions<Document, C> {
  /**
   * Paths of strings or dates that hold days: `{ dueOn: 'calendarDate' }`. A row has the string, `"2026-12-01"`; a path
   * of dates holds midnight UTC.
   *
   * @default none
   */
  readonly columns?: C & {
    readonly [K in keyof C]: K extends keyof Document
      ? NonNullable<Document[K]> extends string | Date ? 'calendarDate' : 'Only a path of strings or dates holds days'
      : `The model has no path "${K & string}"`
  } | undefined
}

/**
 * Makes a store of a Mongoose model. The server must be a replica set, of which one node is enough: other servers
 * have no transactions.
 *
 * The key of a row is `id`, the `_id` of the document; an ObjectId is a string of 24 digits. Rows are read by
 * aggregations and written by documents, so that setters, validators, defaults, timestamps and the middleware of `save`
 * and `deleteMany` apply. The store's `db` is the session of the transaction that it is inside of, `null` outside:
 * `Author.find().session(db)`. To lock a row, a transaction increments its `__v`; a transaction that writes
 * a row locked by another one starts again.
 *
 * @throws MisuseError `mongoose_option_unknown` and `mongoose_columns` for options that do not exist, `mongoose_model`
 * if `model` is no model, its `_id` is not one value, or it has a path `id` or middleware of `find`, `findOne` or
 * `countDocuments`. When the store is used: `store_column`, `store_condition` and `store_raw` as with `kyselyStore`,
 * `mongoose_transactions` where the server has no transactions.
 * @example
 * const posts = mongooseStore(Post)
 */
export function mongooseStore<Document extends object, Db, const C extends Typed = NoColumns>(
  model: MongooseModel<Document, Db>,
  options?: MongooseStoreOptions<Document, C>,
): Store<MongooseRow<Document, C>, Db | null>
export function mongooseStore(
  model: unknown,
  options: { readonly columns?: Values } = {},
): object {
  checkModel(model)
  checkOptionNames(`mongooseStore of \`${model.modelName}\``, options, ['columns'], 'mongoose_option_unknown')
  const columns = new Map(columnsOf(model))
  for (const [name, type] of Object.entries(options.columns ?? {})) {
    const column = columns.get(name)
    if (column === undefined || type !== 'calendarDate' || !DAYS.has(column.kind)) {
      const rule = 'only a path of strings or dates may be calendarDate'
      throw new MisuseError('mongoose_columns', `mongooseStore: \`columns.${name}\` is ${show(type)}; ${rule}.`)
    }
    columns.set(name, { ...column, kind: 'calendarDate' })
  }
  const refs = [...columns].flatMap(([field, { type }]) => (
    typeof type?.options.ref === 'string' ? [{ field, table: placeOf(type.options.ref) }] : []
  ))
  return withTable(storeOf({ model, columns }, null), {
    connection: model.db,
    place: () => placeOf(model.modelName),
    foreignKeys: () => Promise.resolve(refs),
  })
}

function placeOf(table: string): Place {
  return { schema: undefined, table }
}

/** The kinds of paths that may hold days. */
const DAYS: ReadonlySet<string> = new Set(['string', 'date'])

/** Strings are compared as they are, whatever collation the collection has. */
const COLLATION = { locale: 'simple' }

function storeOf(info: Known, session: Session | null): Store<Values, Session | null> {
  const { model, columns } = info
  const isTransaction = session !== null
  const options = { session, collation: COLLATION }
  const read: Read = (stages) =>
    reading(isTransaction, () => asStored({}, model, () => model.aggregate(stages, options)))
  const find = async (keys: readonly unknown[], where: AnyWhere): Promise<Values[]> => {
    const all: AnyWhere = [[KEY, 'in', keys], ...where]
    checkWhere(all)
    const documents = keys.length === 0 ? [] : await read([{ $match: filterOf(all, model, columns) }])
    if (session !== null && documents.length > 0) await lock(model, documents, session)
    const byKey = new Map(documents.map((document) => [idOf(document._id), rowOf(document, columns)]))
    return [...new Set(keys.map(idOf))].map((key) => byKey.get(key)).filter((row) => row !== undefined)
  }
  return {
    key: KEY,
    db: session,
    list: ({ where, order }) => {
      checkWhere(where)
      return pagesOf(info, where, order, read)
    },
    find: async (keys, where = []) => find(keys, where),
    create: async (fields) => {
      const row = checkResult(fields, info)
      const document = new model(documentOf(row, columns))
      await write(row, model, () => document.save({ session }))
      return rowOf(document.toObject(AS_STORED), columns)
    },
    update: async (key, changes) => {
      await update(info, session, key, changes)
      const [row] = await find([key], [])
      return row
    },
    delete: async (keys) => {
      const where: AnyWhere = [[KEY, 'in', keys]]
      checkWhere(where)
      const filter = filterOf(where, model, columns)
      return (await write({}, model, () => model.deleteMany(filter, { session }))).deletedCount
    },
    transaction: async (work) => (isTransaction ? work(storeOf(info, session)) : transact(info, work)),
    on: (db) => storeOf(info, db),
  }
}

/** Documents as the database has them: without getters and virtuals. */
const AS_STORED = { getters: false, virtuals: false, depopulate: true, flattenMaps: true }

/** Returns a key as text; the digits of an ObjectId may be written in two ways. */
function idOf(key: unknown): string {
  return String(key).toLowerCase()
}

/** Checks the fields that are written. @throws ColumnViolation, MisuseError `store_column` */
function checkResult(fields: Values, { model, columns }: Known): Values {
  checkValues(fields)
  const row = withoutUndefined(fields)
  const compared = comparedColumns(model.modelName, columns)
  for (const name of Object.keys(row)) compared.checkExists(name)
  return row
}

/** Changes a document by its own `save`, which writes only the changed paths. */
async function update(info: Known, session: Session | null, key: unknown, changes: Values): Promise<void> {
  const where: AnyWhere = [[KEY, 'in', [key]]]
  checkWhere(where)
  const { [KEY]: _fixed, ...changed } = checkResult(changes, info)
  const filter = filterOf(where, info.model, info.columns)
  if (Object.keys(changed).length === 0) return
  await write(changed, info.model, async () => {
    const document = await info.model.findOne(filter, null, { session, collation: COLLATION })
    if (document === null) return
    document.set(documentOf(changed, info.columns))
    await document.save({ session })
  })
}

/** Locks documents until the transaction ends: a change of one by somebody else undoes theirs or ours. */
async function lock(model: Model, documents: readonly Values[], session: Session): Promise<void> {
  const { versionKey } = model.schema.options
  const version = typeof versionKey === 'string' ? versionKey : '__v'
  const filter = { _id: { $in: documents.map(({ _id }) => _id) } }
  await write({}, model, () => model.collection.updateMany(filter, { $inc: { [version]: 1 } }, { session }))
}

function write<T>(fields: Values, model: Model, call: () => PromiseLike<T>): Promise<T> {
  return writing(fields, undefined, () => asStored(fields, model, call))
}

type Work<T> = (store: Store<Values, Session | null>) => Promise<T>

async function transact<T>(info: Known, work: Work<T>): Promise<T> {
  return transacting(async (beforeCommit) => {
    const session = await asStored({}, info.model, () => info.model.startSession())
    try {
      session.startTransaction()
      const result = await work(storeOf(info, session))
      beforeCommit()
      await asStored({}, info.model, () => session.commitTransaction())
      return result
    } catch (error) {
      // The transaction is gone with its connection, or the server undoes it.
      if (session.inTransaction()) await session.abortTransaction().catch(() => undefined)
      throw error
    } finally {
      await session.endSession()
    }
  }, { attempts: ATTEMPTS })
}

/** Two that write one document do not wait in turn: MongoDB undoes the second, for about three seconds. */
const ATTEMPTS = 18
