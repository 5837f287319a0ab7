import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { readCatalog, type Dialect, type Query } from './catalog.js'
import { drizzleNameOf, readDrizzle } from './drizzle.js'
import { readPrisma } from './prisma.js'
import { candidates, textOf } from './project.js'
import type { Table } from './table.js'

/** An export of a module of the project. */
export interface Export {
  readonly file: string
  readonly name: string
}

/** A table or model with what the program reads it by. */
export interface Source {
  readonly library: 'kysely' | 'knex' | 'drizzle' | 'prisma'
  readonly dialect: Dialect
  readonly table: Table
  readonly db: Export
  /** The table of Drizzle. */
  readonly declared?: Export
  /** True if the types of the program name this table. */
  readonly isTyped: boolean
  /** The function that closes the connections, where the module of the connection exports one. */
  readonly close: string | undefined
}

type Import = (url: string) => Promise<object>

interface Found extends Export {
  readonly value: unknown
}

/** Finds a table or model by its name, and the connection of the project; a text explains what is missing. */
export async function findSource(root: string, name: string, from: string | undefined,
  load: Import): Promise<Source | string>
{
  const files = candidates(root, from)
  const prisma = findPrisma(root, name, files)
  if (prisma !== undefined) return prisma
  const found = await exportsOf(files.filter((file) => !/new PrismaClient/.test(textOf(file))), load)
  const drizzle = findDrizzle(name, found)
  if (drizzle !== undefined) return drizzle
  const connection = found.flatMap((one) => connectionOf(one) ?? []).at(0)
  if (connection !== undefined) {
    const table = await readCatalog(connection.query, connection.dialect, name)
    if (table === undefined) return `The database has no table \`${name}\`, and no module exports a table of that name.`
    const { library, dialect, db } = connection
    const isTyped = new RegExp(`\\b${name}['"]?\\??\\s*:`).test(textOf(db.file))
    return { library, dialect, table, db, isTyped, close: closerOf(db.file) }
  }
  const searched = files.length === 0 ? 'Nothing was found' : `${files.join(', ')} export none`
  return `No connection of Kysely or Knex, no table of Drizzle and no model of Prisma called \`${name}\`: ${searched}. `
    + 'Name the module that exports it with --from.'
}

function findPrisma(root: string, name: string, files: readonly string[]): Source | undefined {
  const schema = textOf(join(root, 'prisma/schema.prisma')) || textOf(join(root, 'schema.prisma'))
  const table = schema === '' ? undefined : readPrisma(schema, name)
  const file = files.find((one) => /new PrismaClient/.test(textOf(one)))
  const [, client] = /export const (\w+)[^=\n]*=\s*new PrismaClient/.exec(textOf(file ?? '')) ?? []
  if (table === undefined || file === undefined || client === undefined) return undefined
  const dialect = /provider\s*=\s*"(mysql|sqlite)"/.exec(schema)?.[1] === 'sqlite' ? 'sqlite' : 'postgres'
  return { library: 'prisma', dialect, table, db: { file, name: client }, isTyped: true, close: closerOf(file) }
}

async function exportsOf(files: readonly string[], load: Import): Promise<Found[]> {
  const found: Found[] = []
  for (const file of files) {
    const module = await load(pathToFileURL(file).href)
    const all = { ...(module as { default?: object }).default, ...module }
    for (const [name, value] of Object.entries(all)) {
      if (name !== 'default' && name !== 'module.exports') found.push({ file, name, value })
    }
  }
  return found
}

function findDrizzle(name: string, found: readonly Found[]): Source | undefined {
  const declared = found.find((one) => drizzleNameOf(one.value) === name)
    ?? found.find((one) => one.name === name && drizzleNameOf(one.value) !== undefined)
  const db = found.find(({ value }) => isObject(value) && '$client' in value && 'select' in value)
  if (declared === undefined || db === undefined) return undefined
  const kind = Object.getPrototypeOf(declared.value)?.constructor?.name as string | undefined
  const dialect = /sqlite/i.test(kind ?? '') ? 'sqlite' : /mysql/i.test(kind ?? '') ? 'mysql' : 'postgres'
  const table = readDrizzle(declared.value as object)
  return { library: 'drizzle', dialect, table, db, declared, isTyped: true, close: closerOf(db.file) }
}

function closerOf(file: string): string | undefined {
  return /export (?:async function|const) (close\w*)/.exec(textOf(file))?.[1]
}

interface Connection {
  readonly library: 'kysely' | 'knex'
  readonly dialect: Dialect
  readonly db: Export
  readonly query: Query
}

type Rows = readonly Readonly<Record<string, unknown>>[]

interface Kysely {
  readonly selectFrom: unknown
  readonly getExecutor: () => { readonly adapter: object }
  readonly withoutPlugins: () => { readonly executeQuery: (query: object) => Promise<{ readonly rows: Rows }> }
}

interface Knex {
  readonly client: { readonly config: { readonly client: unknown } }
  readonly raw: (text: string, values: readonly unknown[]) => Promise<unknown>
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

/** Returns a connection of Kysely or Knex with its way to run SQL. */
function connectionOf({ file, name, value }: Found): Connection | undefined {
  if (isObject(value) && 'selectFrom' in value && 'getExecutor' in value) {
    const db = value as Kysely
    const query: Query = async (sql, parameters) =>
      (await db.withoutPlugins().executeQuery({ sql, parameters, query: { kind: 'RawNode' },
        queryId: { queryId: 'add' } }))
        .rows
    return { library: 'kysely', dialect: dialectOf(db.getExecutor().adapter.constructor.name), db: { file, name },
      query }
  }
  if (typeof value !== 'function' || !('raw' in value) || !('client' in value)) return undefined
  const knex = value as unknown as Knex
  const dialect = dialectOf(String(knex.client.config.client))
  const query: Query = async (text, values) => rowsOf(await knex.raw(text.replaceAll(/\$\d+/g, '?'), values))
  return { library: 'knex', dialect, db: { file, name }, query }
}

function dialectOf(name: string): Dialect {
  return /sqlite/i.test(name) ? 'sqlite' : /mysql|maria/i.test(name) ? 'mysql' : 'postgres'
}

/** Returns the rows of a raw query of Knex, whose form is the driver's. */
function rowsOf(result: unknown): Rows {
  if (Array.isArray(result)) return (Array.isArray(result[0]) ? result[0] : result) as Rows
  return (result as { readonly rows: Rows }).rows
}
