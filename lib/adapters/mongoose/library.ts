import { hasProperties, MisuseError } from '../../core/index.js'
import type { Kind } from '../sql/kinds.js'

/* The part of mongoose 9 that the store uses, by structure: nothing of mongoose is imported. */

export type Values = Readonly<Record<string, unknown>>

/** A session, which is a transaction once it was started. */
export interface Session {
  startTransaction(): void
  commitTransaction(): Promise<void>
  abortTransaction(): Promise<void>
  endSession(): Promise<void>
  inTransaction(): boolean
}

export interface Model {
  new(fields: Values): Document
  readonly modelName: string
  readonly db: object
  readonly schema: Schema
  /** The models of one collection that a path distinguishes, by their names. */
  readonly discriminators?: object | undefined
  readonly collection: {
    updateMany(filter: Values, change: Values, options: { readonly session: Session }): Promise<unknown>
  }
  startSession(): Promise<Session>
  find(): Query
  findOne(filter: Values, projection: null, options: object): PromiseLike<Document | null>
  aggregate(stages: readonly Values[], options: object): PromiseLike<readonly Values[]>
  deleteMany(filter: Values, options: object): PromiseLike<{ readonly deletedCount: number }>
}

interface Query {
  setOptions(options: object): Query
  cast(model: Model, filter: Values): Values
}

interface Document {
  readonly _id: unknown
  set(fields: Values): unknown
  save(options: object): Promise<unknown>
  toObject(options: object): Values
}

interface Schema {
  readonly paths: Readonly<Record<string, Path>>
  readonly options: { readonly versionKey?: string | false }
  readonly s?: { readonly hooks?: { hasHooks(name: string): boolean } }
}

export interface Path {
  readonly path: string
  readonly instance: string
  readonly isRequired?: boolean
  readonly options: { readonly select?: boolean; readonly ref?: unknown }
  cast(value: unknown): unknown
}

/** A field of a document that is in a row. */
export interface Column {
  /** The name in a document. */
  readonly path: string
  readonly kind: Kind
  readonly isNullable: boolean
  /** True for a path with `select: false`. */
  readonly isHidden: boolean
  /** The type of the schema, which no document inside a document has. */
  readonly type: Path | undefined
}

/** The key of rows, which is `_id` in a document. */
export const KEY = 'id'

/** The kinds of paths of a schema that a store compares; an ObjectId is a string in a row. */
const KINDS = new Map<string, Kind>([
  ['String', 'string'],
  ['Number', 'number'],
  ['Double', 'number'],
  ['Int32', 'number'],
  ['BigInt', 'bigint'],
  ['Boolean', 'boolean'],
  ['Date', 'date'],
  ['ObjectId', 'enum'],
  ['UUID', 'uuid'],
  ['Decimal128', 'digits'],
])

/** Returns the columns of a model by their names in a row. @throws MisuseError `mongoose_model` */
export function columnsOf({ modelName, schema }: Model): ReadonlyMap<string, Column> {
  const columns = new Map<string, Column>()
  for (const type of Object.values(schema.paths)) {
    const [path = '', ...inner] = type.path.split('.')
    if (path === schema.options.versionKey) continue
    if (path === KEY) throw misfit(modelName, 'has a path `id`, which is what rows call `_id`: give it another name')
    columns.set(path === '_id' ? KEY : path, inner.length > 0 ? objectAt(path) : columnAt(path, type))
  }
  return columns
}

function columnAt(path: string, type: Path): Column {
  const isNullable = path !== '_id' && type.isRequired !== true
  return { path, kind: KINDS.get(type.instance) ?? 'json', isNullable, isHidden: type.options.select === false, type }
}

/** A path above others, which has no type of its own. */
function objectAt(path: string): Column {
  return { path, kind: 'json', isNullable: true, isHidden: false, type: undefined }
}

/** @throws MisuseError `mongoose_model` for a model that the store cannot keep. */
export function checkModel(model: unknown): asserts model is Model {
  if (!isModel(model)) throw misfit(undefined, 'takes a model of mongoose 9, as in mongooseStore(Post)')
  const { modelName, schema } = model
  const id = schema.paths._id
  if (id === undefined || !KINDS.has(id.instance)) throw misfit(modelName, 'has no `_id` of one value: give it one')
  const hooked = READS.find((name) => schema.s?.hooks?.hasHooks(name) === true)
  if (hooked === undefined) return
  const remedy = 'which the aggregations of the store pass by: write it as scope or hooks of crud'
  throw misfit(modelName, `has middleware for \`${hooked}\`, ${remedy}`)
}

function isModel(model: unknown): model is Model {
  return hasProperties(model) && typeof model.aggregate === 'function' && typeof model.startSession === 'function'
    && model.schema !== undefined
}

/** The operations of a model that the store replaces by aggregations. */
const READS = ['find', 'findOne', 'countDocuments']

function misfit(model: string | undefined, sentence: string): MisuseError {
  const text = model === undefined ? `mongooseStore ${sentence}.` : `mongooseStore: the model \`${model}\` ${sentence}.`
  return new MisuseError('mongoose_model', text)
}
