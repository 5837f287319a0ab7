import { checkOptionNames, MisuseError, show } from '../../core/index.js'
import type { Store } from '../../crud/contract/index.js'
import { checkExtensions, schemaOf, type Adapter, type Client, type Schema } from './library.js'
import { tableOf } from './table.js'
import type { Columns, NoColumns } from '../sql/kinds.js'
import { explainLostConnections, guardPool } from '../sql/pg-pool.js'
import { sqlStore } from '../sql/store.js'
import type { Row } from '../sql/table.js'

/** A client of Prisma's, by structure alone; `Transaction` is the client inside a transaction. */
export interface PrismaClient<Transaction> {
  $queryRawUnsafe(text: string, ...values: never[]): unknown
  $transaction(work: (transaction: Transaction) => Promise<void>): Promise<void>
}

/** A model of a client, with its types under a symbol. */
type PrismaModel<Scalars = object> = Readonly<
  Record<symbol, { readonly types: { readonly payload: { readonly scalars: Scalars } } }>
>

/** The names of the models of a client: `'post'`. */
export type PrismaModelName<Client> =
  & { [K in keyof Client]: Client[K] extends PrismaModel ? K : never }[keyof Client]
  & string

type ScalarsOf<Model> = Model extends PrismaModel<infer Scalars> ? Scalars : never

/** A `Decimal` of Prisma's, by structure. */
interface Decimal {
  readonly d: number[]
  readonly e: number
  readonly s: number
  toFixed(): string
}

type Typed = Readonly<Record<string, 'integer' | 'number' | 'decimal' | 'calendarDate'>>

/** The type that a column may be given instead. */
type TypeOf<Value> = [NonNullable<Value>] extends [bigint] ? 'integer'
  : [NonNullable<Value>] extends [Decimal] ? 'number' | 'decimal'
  : [NonNullable<Value>] extends [Date] ? 'calendarDate'
  : 'This column is read as it is: only BigInt, Decimal and DateTime have another type'

/** A row of a model: its columns, a decimal as a string with all of its digits, and the types of `columns`. */
export type PrismaRow<Scalars, C> = {
  [K in keyof Scalars]: K extends keyof C ? Read<C[K]> | Extract<Scalars[K], null> : Plain<Scalars[K]>
}

type Read<Type> = Type extends 'calendarDate' | 'decimal' ? string : number
type Plain<Value> = Value extends Decimal ? string : Value

export interface PrismaStoreOptions<Scalars, C> {
  /** The primary key, of one column. @default the column with `@id` */
  readonly key?: keyof Scalars & string | undefined
  /**
   * The types of columns, if you want other values than Prisma's: `integer` for a `BigInt`, `number` or `decimal`
   * for a `Decimal`, `calendarDate` for a `DateTime @db.Date`.
   *
   * @default a bigint, a string with all digits, and a `Date` at midnight UTC
   */
  readonly columns?: C & {
    readonly [K in keyof C]: K extends keyof Scalars ? TypeOf<Scalars[K]> : `The model has no column "${K & string}"`
  } | undefined
}

/**
 * Makes a store of a Prisma model, on PostgreSQL, MySQL, MariaDB and SQLite.
 *
 * Rows are written by the model's own methods, so that defaults and `@updatedAt` apply, and read by SQL, so that
 * conditions and cursors are those of every store. Inside a transaction the store's `db` is the client of that
 * transaction, for other models. A transaction of `crud` may last as long as the `deadline` of its action; any other
 * has the timeouts of the client's `transactionOptions`. On SQLite the stores of one client work one after the other.
 *
 * @throws MisuseError `prisma_client` for anything but a client of Prisma 7, for another kind of database, and for a
 * client with `query` or `result` extensions of this model, which SQL would bypass; `prisma_model` for a model that
 * does not exist or has no key of one column; `prisma_option_unknown` and `prisma_columns` for options that do not
 * exist. When the store is used: `store_column`, `store_column_type`, `store_condition` and `store_raw` as with
 * `kyselyStore`.
 * @example
 * const posts = prismaStore(prisma, 'post', { columns: { views: 'integer', dueOn: 'calendarDate' } })
 */
export function prismaStore<
  Transaction,
  Db extends PrismaClient<Transaction>,
  const Name extends PrismaModelName<Db>,
  const C extends Typed = NoColumns,
>(
  client: Db & PrismaClient<Transaction>,
  model: Name,
  options?: PrismaStoreOptions<ScalarsOf<Db[Name]>, C>,
): Store<PrismaRow<ScalarsOf<Db[Name]>, C>, Transaction>
export function prismaStore(
  client: Client,
  model: string,
  options: { readonly key?: string | undefined; readonly columns?: Columns | undefined } = {},
): Store<Row, Client> {
  const schema = schemaOf(client, model)
  checkOptionNames(`prismaStore of \`${model}\``, options, ['key', 'columns'], 'prisma_option_unknown')
  checkExtensions(client, schema)
  const { key = keyOf(schema), columns = {} } = options
  if (!schema.fields.has(key)) {
    const remedy = "name the primary key, as in { key: 'id' }"
    throw new MisuseError('prisma_model', `prismaStore of \`${model}\`: there is no column \`${key}\`; ${remedy}.`)
  }
  checkColumns(schema, columns)
  if (schema.dialect === 'postgres') guardConnections(client)
  return sqlStore(tableOf(client, { schema, key, columns, identity: client._engineConfig }))
}

function keyOf({ name, key }: Schema): string {
  if (key !== undefined) return key
  const remedy = "give it one, or name a unique column, as in { key: 'slug' }"
  throw new MisuseError('prisma_model', `prismaStore of \`${name}\`: there is no \`@id\` of one column: ${remedy}.`)
}

const TYPES = new Map<string, readonly string[]>([
  ['BigInt', ['integer']],
  ['Decimal', ['number', 'decimal']],
  ['DateTime', ['calendarDate']],
])

function checkColumns({ name, fields }: Schema, columns: Columns): void {
  for (const [column, type] of Object.entries(columns)) {
    const field = fields.get(column)
    const types = field === undefined || field.isList ? [] : TYPES.get(field.type) ?? []
    if (types.includes(type)) continue
    const choice = types.length === 0 ? `a ${field?.type ?? ''} is read as it is` : `it may be ${types.join(', ')}`
    const wrong = field === undefined ? 'is no column of the model' : `is called ${show(type)}; ${choice}`
    throw new MisuseError('prisma_columns', `prismaStore of \`${name}\`: \`${column}\` ${wrong}.`)
  }
}

const guardedAdapters = new WeakSet<Adapter>()

/**
 * Listens for lost connections in the pool of `@prisma/adapter-pg`: it listens from a later promise on, and until then
 * the loss of a new connection would end the process. A pool that a client has made before cannot be reached.
 */
function guardConnections({ _engineConfig: { adapter } }: Client): void {
  explainLostConnections()
  if (adapter === undefined || guardedAdapters.has(adapter)) return
  guardedAdapters.add(adapter)
  guardPool(adapter.externalPool)
  const connect = adapter.connect?.bind(adapter)
  if (connect === undefined) return
  const guardedConnect = async (): ReturnType<typeof connect> => {
    const connected = await connect()
    guardPool(connected.underlyingDriver?.())
    return connected
  }
  adapter.connect = guardedConnect
}
