import { dialectOf as drizzleDialect } from '../../adapters/drizzle/drizzle-store.js'
import { kindsOf, schemaOf as drizzleSchema, type Column as DrizzleColumn, type Database as DrizzleDatabase,
  type Table as DrizzleTable } from '../../adapters/drizzle/library.js'
import { tableOf as drizzleTable } from '../../adapters/drizzle/table.js'
import { dialectOf as knexDialect, tableOf as knexTable, type Knex } from '../../adapters/knex/knex-store.js'
import type { Database as Kysely } from '../../adapters/kysely/library.js'
import { dialectOf as kyselyDialect, tableOf as kyselyTable } from '../../adapters/kysely/table.js'
import { schemaOf as prismaSchema, type Client, type Field } from '../../adapters/prisma/library.js'
import { tableOf as prismaTable } from '../../adapters/prisma/table.js'
import type { Dialect } from '../../adapters/sql/kinds.js'
import type { Reader } from './catalog.js'
import { kindOf, type Column, type Default, type Kind, type TableName } from './table.js'

export type Library = 'kysely' | 'knex' | 'drizzle' | 'prisma'

export function libraryOf(value: unknown): Library | undefined {
  if (isKnex(value)) return 'knex'
  if (isKysely(value)) return 'kysely'
  if (isPrisma(value)) return 'prisma'
  return isDrizzle(value) ? 'drizzle' : undefined
}

export function isKnex(value: unknown): value is Knex {
  return typeof value === 'function' && 'raw' in value && 'client' in value && 'schema' in value
}

export function isKysely(value: unknown): value is Kysely {
  return has(value, 'selectFrom', 'getExecutor')
}

export function isPrisma(value: unknown): value is Client {
  return has(value, '_runtimeDataModel', '$transaction')
}

export function isDrizzle(value: unknown): value is DrizzleDatabase {
  return has(value, 'select', 'dialect', 'transaction')
}

/** Asks by value: a client of Prisma is a proxy that names no properties. */
function has(value: unknown, ...names: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && names.every((name) => Reflect.get(value, name) !== undefined)
}

export function isDrizzleTable(value: unknown): value is DrizzleTable {
  return typeof value === 'object' && value !== null && kindsOf(value).includes('Table')
}

/** Returns the name of a table of Drizzle in the database, that of another schema in front. */
export function drizzleName(table: DrizzleTable): string {
  const { name, schema } = drizzleSchema(table)
  return schema === undefined ? name : `${schema}.${name}`
}

export function kyselyReader(db: Kysely, name: string): Reader {
  const dialect = kyselyDialect(db)
  return readerOf(dialect, kyselyTable(db, { name, dialect, key: 'id', columns: {}, statements: new Map() }))
}

interface LibraryTable extends Pick<Reader, 'fields' | 'query'> {
  readonly place: () => TableName
}

function readerOf(dialect: Dialect, { place, fields, query }: LibraryTable): Reader {
  return { dialect, place: place(), fields, query }
}

export function knexReader(db: Knex, name: string): Reader {
  const dialect = knexDialect(db)
  return readerOf(dialect, knexTable(db, { name, dialect, key: 'id', columns: {} }))
}

export function drizzleReader(db: DrizzleDatabase, table: DrizzleTable): Reader {
  const dialect = drizzleDialect(table)
  const schema = drizzleSchema(table)
  const info = { table, schema, dialect, key: 'id', columns: {} }
  const refine = (column: Column): Column => {
    const own = schema.columns[column.name]
    return own === undefined ? column : withDrizzle(column, own as DrizzleData, dialect === 'sqlite')
  }
  return { ...readerOf(dialect, drizzleTable(db, info)), refine }
}

/** The properties of a column of Drizzle 0.45 that the store does not need. */
interface DrizzleData extends DrizzleColumn {
  readonly notNull: boolean
  readonly hasDefault: boolean
  readonly default: unknown
  readonly onUpdateFn?: unknown
  readonly enumValues?: readonly string[]
}

/** Drizzle converts values by the types and modes of its schema. */
function withDrizzle(column: Column, own: DrizzleData, isSqlite: boolean): Column {
  const values = own.enumValues !== undefined && own.enumValues.length > 0 ? own.enumValues : undefined
  return {
    ...column,
    kind: values !== undefined && !column.isList ? 'string' : drizzleKind(own, column),
    values: column.isList ? undefined : values,
    allowed: values === undefined ? column.values : undefined,
    isNullable: !own.notNull,
    isGenerated: column.isGenerated && !(isSqlite && own.dataType === 'date'),
    default: drizzleDefault(column, own),
  }
}

const DATA_KINDS: Readonly<Record<string, Kind>> = {
  bigint: 'bigint',
  boolean: 'bool',
  date: 'date',
  json: 'json',
}

function drizzleKind(own: DrizzleData, { kind, isList }: Column): Kind {
  // Lists of these have values of other types than the driver reads.
  if (isList) return kind === 'bigint' || kind === 'decimal' ? 'other' : kind
  const declared = kindOf(own.getSQLType())
  if (own.dataType === 'number') return declared === 'int' || declared === 'bigint' ? 'int' : 'number'
  if (own.dataType !== 'string') return DATA_KINDS[own.dataType] ?? 'other'
  // A row has these as a string where the schema says so.
  return /^(?:date|other)$/.test(declared) ? 'text' : declared
}

function drizzleDefault({ default: stored }: Column, own: DrizzleData): Default {
  if (own.defaultFn !== undefined || own.onUpdateFn !== undefined) return 'expression'
  const { default: value } = own
  const isLiteral = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  if (isLiteral) return { value }
  return own.hasDefault && stored === undefined ? 'expression' : stored
}

/** Lists the models of a client of Prisma by the name of its property, with the names of their tables. */
export function prismaModels(client: Client): ReadonlyMap<string, readonly string[]> {
  const { models } = client._runtimeDataModel
  const propertyOf = (model: string): string => model.replace(/^./, (letter) => letter.toLowerCase())
  return new Map(Object.entries(models).map(([model, { dbName }]) => [propertyOf(model), [model, dbName ?? model]]))
}

export function prismaReader(client: Client, model: string): Reader {
  const schema = prismaSchema(client, model)
  const info = { schema, key: 'id', columns: {}, identity: client }
  const table = prismaTable(client, info)
  const refine = (column: Column): Column => {
    const field = schema.fields.get(column.name)
    return field === undefined ? column : withPrisma(column, field)
  }
  return { ...readerOf(table.dialect, table), refine }
}

const PRISMA_KINDS: Readonly<Record<string, Kind>> = {
  Int: 'int',
  BigInt: 'bigint',
  Float: 'number',
  Decimal: 'decimal',
  Boolean: 'bool',
  Json: 'json',
}

/** Prisma converts values by the types of its schema, and names the values of an enum. */
function withPrisma(column: Column, field: Field): Column {
  const { isEnum, isList, isFilled, labels } = field
  const kind = isEnum ? 'string' : prismaKind(field, column)
  const preset = isEnum ? namedDefault(column.default, labels) : column.default
  return {
    ...column,
    kind,
    isList,
    values: isEnum ? [...labels.keys()] : undefined,
    allowed: isEnum ? undefined : column.values,
    scale: kind === 'decimal' ? column.scale ?? 10 : undefined,
    default: isFilled ? 'expression' : preset,
  }
}

function prismaKind({ type }: Field, { kind }: Column): Kind {
  if (type === 'DateTime') return momentOf(kind)
  return PRISMA_KINDS[type] ?? (type === 'String' && kind !== 'uuid' ? 'string' : kind)
}

/** A time of day is a `Date` of 1970 to Prisma: as an instant it would lose the date that a caller sends. */
function momentOf(kind: Kind): Kind {
  if (kind === 'text') return 'other'
  return kind === 'calendarDate' ? kind : 'date'
}

/** The database has the labels of an enum, and a row the names that the schema gives them. */
function namedDefault(preset: Default, labels: ReadonlyMap<string, string>): Default {
  if (typeof preset !== 'object') return preset
  const [name] = [...labels].find(([, label]) => label === preset.value) ?? []
  return name === undefined ? preset : { value: name }
}
