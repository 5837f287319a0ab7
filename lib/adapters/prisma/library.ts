import { MisuseError } from '../../core/index.js'
import type { Dialect } from '../sql/kinds.js'
import type { Row } from '../sql/table.js'

/*
 * The part of a client of Prisma 7 that the store uses, as structural types: nothing of Prisma is imported. Names
 * that begin with an underscore are not documented; a client without them is refused.
 */

/** A client, or the client of a transaction, which has no `$connect`. */
export interface Client {
  readonly $connect?: unknown
  readonly _activeProvider: string
  readonly _runtimeDataModel: { readonly models: Readonly<Record<string, ModelData>> }
  readonly _engineConfig: { readonly inlineSchema?: string; readonly adapter?: Adapter }
  readonly _extensions: Extensions
  readonly _globalOmit?: Readonly<Record<string, Readonly<Record<string, boolean>>>>
  $queryRawUnsafe(text: string, ...values: readonly unknown[]): PromiseLike<readonly Row[]>
  $transaction<T>(work: (transaction: Client) => Promise<T>, limits: TransactionLimits): Promise<T>
}

/** In milliseconds. */
export interface TransactionLimits {
  /** To wait for a connection. */
  readonly maxWait?: number
  readonly timeout?: number
  readonly isolationLevel?: 'ReadCommitted'
}

/** A factory of driver adapters. */
export interface Adapter {
  /** The schema of `@prisma/adapter-pg`, the format of the adapters for SQLite. */
  readonly options?: { readonly schema?: string; readonly timestampFormat?: string }
  /** Of `@prisma/adapter-pg`: the pool that it was given. */
  readonly externalPool?: unknown
  connect?(): Promise<{ underlyingDriver?(): unknown }>
}

interface Extensions {
  getAllQueryCallbacks(model: string, operation: string): readonly unknown[]
  getAllComputedFields(model: string): object | undefined
}

interface ModelData {
  readonly dbName: string | null
  readonly schema: string | null
  readonly fields: readonly FieldData[]
}

interface FieldData {
  readonly name: string
  readonly dbName?: string | null
  readonly kind: string
  readonly type: string
}

/** The methods of a model that write. */
export interface Model {
  create(args: { readonly data: Row; readonly select: Row }): PromiseLike<Row>
  /** Of PostgreSQL and SQLite. */
  createManyAndReturn(args: { readonly data: readonly Row[]; readonly select: Row }): PromiseLike<readonly Row[]>
  updateMany(args: { readonly data: Row; readonly where: Row }): PromiseLike<{ readonly count: number }>
  deleteMany(args: { readonly where: Row }): PromiseLike<{ readonly count: number }>
}

/** A column of a model. */
export interface Field {
  readonly name: string
  readonly column: string
  readonly type: string
  readonly isEnum: boolean
  readonly isList: boolean
  /** True for one that Prisma fills in: `@updatedAt`, `@default(uuid())`. */
  readonly isFilled: boolean
  /** True for one that the client omits from its results. */
  readonly isOmitted: boolean
  /** The values of an enum as the database has them, by the names that Prisma gives them. */
  readonly labels: ReadonlyMap<string, string>
}

/** The description of a model in a client. */
export interface Schema {
  /** The model by the name of its property: `post`. */
  readonly name: string
  readonly modelName: string
  readonly dialect: Dialect
  readonly table: string
  readonly schema: string | undefined
  readonly fields: ReadonlyMap<string, Field>
  /** The field with `@id`. */
  readonly key: string | undefined
  /** The fields of `@@id`. */
  readonly keys: readonly string[]
  /** True where SQLite keeps instants as numbers. */
  readonly isEpoch: boolean
}

const DIALECTS = new Map<string, Dialect>([['postgresql', 'postgres'], ['mysql', 'mysql'], ['sqlite', 'sqlite']])

/** Reads the description of a model from a client. @throws MisuseError `prisma_client`, `prisma_model` */
export function schemaOf(client: Client, name: string): Schema {
  const dialect = dialectOf(client)
  const { models } = client._runtimeDataModel
  const [modelName = '', model] = Object.entries(models).find(([each]) => propertyOf(each) === name) ?? []
  if (model === undefined) {
    const names = Object.keys(models).map(propertyOf).join(', ')
    throw new MisuseError('prisma_model', `prismaStore: there is no model \`${name}\`; the models are ${names}.`)
  }
  const { inlineSchema = '' } = client._engineConfig
  const block = blockOf(inlineSchema, modelName)
  const columns = model.fields.filter(({ kind }) => kind === 'scalar' || kind === 'enum')
  const fields = columns.map((field) => ({
    ...fieldOf(field, block, inlineSchema),
    isOmitted: client._globalOmit?.[name]?.[field.name] === true,
  }))
  return {
    name,
    modelName,
    dialect,
    table: model.dbName ?? modelName,
    ...settingsOf(client, model, dialect),
    fields: new Map(fields.map((field) => [field.name, field])),
    key: /^\s*(\w+)\s[^/\n]*@id\b/m.exec(block)?.[1],
    keys: keysIn(block),
  }
}

/** Returns the fields of a primary key of several columns, `@@id([postId, tagId(sort: Desc)])`. */
function keysIn(block: string): readonly string[] {
  const list = /^\s*@@id\(\s*(?:fields:\s*)?\[([^\]]+)\]/m.exec(block)?.[1] ?? ''
  return [...list.replaceAll(/\([^)]*\)/g, '').matchAll(/\w+/g)].map(([name]) => name)
}

/** Reads the options of the driver adapter that the store's own statements need. */
function settingsOf({ _engineConfig: { adapter } }: Client, model: ModelData, dialect: Dialect) {
  const { schema = 'public', timestampFormat } = adapter?.options ?? {}
  return {
    schema: model.schema ?? (dialect === 'postgres' ? schema : undefined),
    isEpoch: timestampFormat === 'unixepoch-ms',
  }
}

function dialectOf(client: Client): Dialect {
  if (!isClient(client)) {
    throw misfit('it takes a client of Prisma 7 and the name of a model', "as in prismaStore(prisma, 'post')")
  }
  const dialect = DIALECTS.get(client._activeProvider)
  if (dialect !== undefined) return dialect
  throw misfit(`the database is of the kind ${client._activeProvider}`, `there are ${[...DIALECTS.keys()].join(', ')}`)
}

function fieldOf({ name, dbName, type, kind }: FieldData, block: string, schema: string): Omit<Field, 'isOmitted'> {
  const isEnum = kind === 'enum'
  return {
    name,
    column: dbName ?? name,
    type,
    isEnum,
    isList: new RegExp(`^\\s*${name}\\s+\\w+\\s*\\[`, 'm').test(block),
    isFilled: new RegExp(`^\\s*${name}\\s[^/\\n]*@(?:updatedAt\\b|default\\(\\s*(?:uuid|cuid|ulid|nanoid|auto)\\()`,
      'm')
      .test(block),
    labels: isEnum ? labelsOf(blockOf(schema, type)) : new Map<string, string>(),
  }
}

/** Finds the declaration of a model or an enum in the text of the schema, since a client has no other one. */
function blockOf(schema: string, name: string): string {
  return new RegExp(`^\\s*(?:model|view|enum)\\s+${name}\\s*\\{(.*?)^\\s*\\}`, 'ms').exec(schema)?.[1] ?? ''
}

/** Reads the values of an enum, with the names that `@map` gives them in the database. */
function labelsOf(block: string): ReadonlyMap<string, string> {
  const values = block.matchAll(/^[ \t]*(\w+)[ \t]*(?:@map\(\s*(?:name:\s*)?("(?:[^"\\]|\\.)*")\s*\))?/gm)
  const labels = new Map<string, string>()
  for (const [, name = '', label] of values) labels.set(name, label === undefined ? name : String(JSON.parse(label)))
  return labels
}

/** Names the property of a client for a model, as Prisma does. */
function propertyOf(model: string): string {
  return model.replace(/^./, (letter) => letter.toLowerCase())
}

function isClient(client: Partial<Client> | null | undefined): boolean {
  const extensions: Partial<Extensions> = client?._extensions ?? {}
  const methods = [
    client?.$queryRawUnsafe,
    client?.$transaction,
    extensions.getAllQueryCallbacks,
    extensions.getAllComputedFields,
  ]
  return methods.every((method) => typeof method === 'function')
    && client?._runtimeDataModel?.models !== undefined && client._engineConfig !== undefined
}

/** The operations of a model that the store replaces by queries of its own. */
// dprint-ignore
const OPERATIONS = [
  'findUnique', 'findFirst', 'findMany', 'count', 'create', 'update', 'updateMany', 'delete', 'deleteMany',
]

/** @throws MisuseError `prisma_client` for a client with extensions that the store's own queries would pass by. */
export function checkExtensions(client: Client, { name, modelName }: Schema): void {
  const isQuery = OPERATIONS.some((each) => client._extensions.getAllQueryCallbacks(name, each).length > 0)
  const isResult = Object.keys(client._extensions.getAllComputedFields(modelName) ?? {}).length > 0
  if (!isQuery && !isResult) return
  throw misfit(
    `the client has a \`${isQuery ? 'query' : 'result'}\` extension for \`${name}\`, which its SQL passes by`,
    'give the store the client without it, and write it as scope, transform or hooks of crud',
  )
}

function misfit(problem: string, remedy: string): MisuseError {
  return new MisuseError('prisma_client', `prismaStore: ${problem}: ${remedy}.`)
}

export function modelOf(client: Client, { name }: Schema): Model {
  return Reflect.get(client, name) as Model
}
