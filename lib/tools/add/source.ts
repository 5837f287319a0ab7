import { relative } from 'node:path'
import { hasProperties, propertyOf } from '../../core/index.js'
import { readTable, readTableNames, type Reader } from './catalog.js'
import type { Reading } from './fields.js'
import { drizzleName, drizzleReader, isDrizzle, isDrizzleTable, isKnex, isKysely, isPrisma, knexReader, kyselyReader,
  libraryOf, prismaModels, prismaReader, type Library } from './libraries.js'
import { AddError, exportsOf, type Export, type Found, type Load, type Searched } from './modules.js'
import { nearest } from './names.js'
import { enforcedQuestion } from './questions.js'
import type { Table, TableName } from './table.js'

export interface Source extends Reading {
  readonly table: Table
  /** The name by which the program calls it: a table, or the model of Prisma. */
  readonly called: string
  readonly db: Export
  /** The table of Drizzle. */
  readonly declared?: Export
  /** The expression that closes the connections. */
  readonly close: { readonly call: string; readonly import: Export; readonly isImmediate?: boolean }
  /** True if the database refuses a foreign key without its row. */
  readonly isEnforced: boolean
  /** Reads another table on the same connection. */
  readonly related: (table: TableName) => Promise<Table | undefined>
}

interface Sought extends Searched {
  readonly name: string
  /** The export to use. */
  readonly wanted: string | undefined
}

interface Candidate {
  readonly library: Library
  readonly db: Found
  readonly reader: Reader
  readonly called: string
  readonly declared?: Export
}

/** Finds a table or model by its name on a connection of the project. @throws AddError with what is missing */
export async function findSource(sought: Sought, load: Load): Promise<Source> {
  const { name } = sought
  const { found, failures } = await exportsOf(sought, load)
  const connections = connectionsIn(found, sought)
  if (connections.length === 0) throw new AddError(noConnection(sought, failures))
  const candidates = connections.flatMap((db) => candidatesOf(db, found, name))
  const readings = await Promise.all(candidates.map(async (candidate) => {
    const table = await read(candidate)
    return table === undefined ? [] : [{ ...candidate, table }]
  }))
  const matches = readings.flat()
  const [match, other] = matches
  if (match === undefined) throw new AddError([await noTable(name, found, candidates), ...failures].join('\n'))
  if (other !== undefined) {
    const places = matches.map(({ db }) => `\`${db.name}\` of ${db.file}`).join(', ')
    throw new AddError(`\`${name}\` is on several connections: ${places}. Name one with --from or --export.`)
  }
  const { library, reader, table, db: { file, name: exported }, declared } = match
  const db = { file, name: exported,
    ...(exported === 'default' && { local: /^(?:knex|prisma)$/.test(library) ? library : 'db' }) }
  // A plugin may rename tables, as it does columns.
  const called = library === 'kysely' ? (await reader.fields([name])).get(name) ?? name : match.called
  const related = async (other: TableName): Promise<Table | undefined> => {
    const full = other.schema === undefined ? other.table : `${other.schema}.${other.table}`
    const [candidate] = candidatesOf(match.db, found, full)
    return candidate === undefined ? undefined : read(candidate)
  }
  return { library, dialect: reader.dialect, table, called, db,
    ...(declared && { declared: { file: declared.file, name: declared.name } }), close: closeOf(match, found, db),
    isEnforced: await isEnforced(reader), related }
}

/** Returns the connections, each once; only those of the named module if it has any. */
function connectionsIn(found: readonly Found[], { root, from, wanted }: Sought): Found[] {
  const connections = new Map<unknown, Found>()
  for (const entry of found) {
    const isWanted = wanted === undefined || entry.name === wanted
    const earlier = connections.get(entry.value)
    const isBetter = earlier === undefined || (earlier.name === 'default' && earlier.file === entry.file)
    if (isWanted && isBetter && libraryOf(entry.value) !== undefined) connections.set(entry.value, entry)
  }
  const all = [...connections.values()]
  const own = from === undefined ? [] : all.filter(({ file }) => file === relative(root, from))
  return own.length > 0 ? own : all
}

function noConnection({ from, files, root, wanted }: Sought, failures: readonly string[]): string {
  const searched = from === undefined ? files : [from]
  const what = wanted === undefined ? 'No module exports a connection' : `No connection is exported as \`${wanted}\``
  const where = searched.length === 0
    ? 'in this folder'
    : `in ${searched.map((file) => relative(root, file)).join(', ')}`
  return [`${what} of Kysely, Knex, Drizzle or Prisma ${where}. Name the module with --from FILE.`, ...failures]
    .join('\n')
}

/** Returns the ways in which a connection may know a table of this name. */
function candidatesOf(db: Found, found: readonly Found[], name: string): Candidate[] {
  const { value } = db
  if (isKysely(value)) return [{ library: 'kysely', db, reader: kyselyReader(value, name), called: name }]
  if (isKnex(value)) return [{ library: 'knex', db, reader: knexReader(value, name), called: name }]
  if (isPrisma(value)) {
    const models = [...prismaModels(value)].filter(([property, names]) => [property, ...names].includes(name))
    return models.map(([model]) => ({ library: 'prisma', db, reader: prismaReader(value, model), called: model }))
  }
  if (!isDrizzle(value)) return []
  for (const declared of found) {
    const { name: own, value: table } = declared
    if (!isDrizzleTable(table) || (own !== name && drizzleName(table) !== name)) continue
    return [{ library: 'drizzle', db, reader: drizzleReader(value, table), called: name, declared }]
  }
  return []
}

async function read({ db, reader }: Candidate): Promise<Table | undefined> {
  try {
    return await readTable(reader)
  } catch (error) {
    const words = messageOf(error)
    throw new AddError(`The database of \`${db.name}\` in ${db.file} cannot be read: ${words}`)
  }
}

/** Returns the text of the innermost error; a refused connection has it in a list. */
function messageOf(error: unknown): string {
  const inner = propertyOf(error, 'cause') ?? propertyOf(propertyOf(error, 'errors'), 0)
  if (inner !== undefined) return messageOf(inner)
  const texts = [propertyOf(error, 'message'), propertyOf(error, 'code'), String(error)]
  return texts.filter((text) => typeof text === 'string').find(Boolean) ?? ''
}

/** Explains that there is no such table, with the names that are like it. */
async function noTable(name: string, found: readonly Found[], candidates: readonly Candidate[]): Promise<string> {
  if (candidates.some(({ library }) => library === 'drizzle' || library === 'prisma')) {
    return `The table of \`${name}\` is not in the database yet. Run the migrations first.`
  }
  const stored = await Promise.all(candidates.map(({ reader }) => readTableNames(reader)))
  const names = [...found.map(({ value }) => declaredNames(value)), ...stored]
  const list = [...new Set(names.flat())].sort()
  const start = `There is no table or model \`${name}\`.`
  if (list.length === 0) return `${start} The database has no tables.`
  const near = nearest(name, list)
  if (near.length > 0) return `${start} Did you mean ${near.map((one) => `\`${one}\``).join(', ')}?`
  const rest = list.length > MOST_NAMES ? ` and ${list.length - MOST_NAMES} more` : ''
  return `${start} There are ${list.slice(0, MOST_NAMES).map((one) => `\`${one}\``).join(', ')}${rest}.`
}

const MOST_NAMES = 20

function declaredNames(value: unknown): string[] {
  if (isDrizzleTable(value)) return [drizzleName(value)]
  return isPrisma(value) ? [...prismaModels(value).keys()] : []
}

const CLOSERS = /^(?:close|disconnect|destroy|shutdown|end|stop)/i

function closeOf({ library, db: { file: own, value: connection }, reader: { dialect } }: Candidate,
  found: readonly Found[], db: Export): Source['close']
{
  const closer = found.find(({ file, name, value }) =>
    file === own && typeof value === 'function' && libraryOf(value) === undefined && value.length === 0
    && CLOSERS.test(name)
  )
  if (closer !== undefined) return { call: `${closer.name}()`, import: { file: closer.file, name: closer.name } }
  const local = db.local ?? db.name
  if (library === 'prisma') return { call: `${local}.$disconnect()`, import: db }
  if (library !== 'drizzle') return { call: `${local}.destroy()`, import: db }
  const client = propertyOf(connection, '$client')
  const isPool = hasProperties(client) && 'end' in client
  return { call: `${local}.$client.${isPool ? 'end' : 'close'}()`, import: db,
    isImmediate: !isPool && dialect === 'sqlite' }
}

/** SQLite enforces foreign keys where the connection asks for it. */
async function isEnforced({ dialect, query }: Reader): Promise<boolean> {
  if (dialect !== 'sqlite') return true
  const [line] = await query(enforcedQuestion).catch(() => [])
  return line?.value === '1'
}
