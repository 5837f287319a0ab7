import { hasProperties, MisuseError } from '../../core/index.js'
import { inTurns } from '../sql/lock.js'
import type { Columns, Dialect } from '../sql/kinds.js'
import { joinPieces, placeholder, sql, writePiece, type Part, type Sql } from '../sql/statement.js'
import { lockText, orderBy, type Inserted, type Row, type Selection, type SqlTable } from '../sql/table.js'
import { asSelected, codecOf, declaredOf, enumNames, selectAs } from './codec.js'
import { asDriver } from './failures.js'
import { modelOf, type Client, type Field, type Schema, type TransactionLimits } from './library.js'

/** The part of a model that does not change inside a transaction. */
export interface Known {
  readonly schema: Schema
  readonly key: string
  readonly columns: Columns
  readonly identity: object
}

/** The model on a client or on a transaction of it: rows are read by SQL and written by Prisma's methods. */
export function tableOf(client: Client, info: Known): SqlTable<Client> {
  const { schema, key, columns, identity } = info
  const { dialect, fields } = schema
  const isTransaction = client.$connect === undefined
  const ask = (statement: Sql): Promise<readonly Row[]> =>
    asDriver(() => {
      const { text, values } = compile(statement, schema)
      return client.$queryRawUnsafe(text, ...values)
    })
  const table = nameOf(schema)
  /** Finds the keys of rows as Prisma's methods take them. */
  const keysOf = async (where: Sql): Promise<Row> => {
    const lock = isTransaction && dialect !== 'sqlite' ? [' for update'] : []
    const names = schema.keys.length === 0 ? [key] : schema.keys
    const keys = names.map((name) => fields.get(name)).filter((field) => field !== undefined)
    const columns = joinPieces(keys.map((field, at): Sql => [...selectAs(field, dialect), ` as resourcerykey${at}`]),
      ', ')
    const rows = await ask([...sql`select ${columns} from `, table, ...sql` where ${where}`, ...lock])
    const valuesAt = (field: Field, at: number): unknown[] =>
      rows.map((row) => enumNames(row[`resourcerykey${at}`], field))
    const values = keys.map((field, at) => [field.name, valuesAt(field, at)] as const)
    const [[name, all] = [key, []]] = values
    if (values.length === 1) return { [name]: { in: all } }
    return { OR: rows.map((_row, row) => Object.fromEntries(values.map(([name, all]) => [name, all[row]]))) }
  }
  return inTurns({
    name: schema.name,
    dialect,
    key,
    columns: declaredOf(schema, columns),
    db: client,
    isTransaction,
    identity,
    place: () => ({ schema: schema.schema, table: schema.table }),
    fields: () => new Map([...fields.values()].map(({ name, column }) => [column, name])),
    codec: (catalog) => codecOf(schema, columns, catalog),
    query: ask,
    select: (selection) => ask(selectRows(table, selection, schema)),
    count: async (where) => {
      const [row] = await ask([...sql`select count(*) as total from `, table, ...sql` where ${where}`])
      return row?.total
    },
    compute: async (where, expressions) => {
      const fields = Object.entries(expressions).map(([name, piece]): Sql => [...piece, ` as ${name}`])
      const [row] = await ask([...sql`select ${joinPieces(fields, ', ')} from `, table, ...sql` where ${where}`])
      return row ?? {}
    },
    insert: (row) => insertRow(client, row, info),
    insertMany: insertsTogether(info) ? (rows) => insertRows(client, rows, info, ask) : undefined,
    update: async (data, where) => {
      const keys = await keysOf(where)
      await asDriver(() => modelOf(client, schema).updateMany({ data, where: keys }))
    },
    delete: async (where) => {
      const keys = await keysOf(where)
      return (await asDriver(() => modelOf(client, schema).deleteMany({ where: keys }))).count
    },
    transaction: (work, seconds) => asDriver(() => client.$transaction(work, limitsOf(dialect, seconds))),
    on: (other) => tableOf(other, info),
  }, identity)
}

/**
 * True if rows can be added together. MySQL does not return them, and those that are read again are told apart by the
 * text of their keys, which a decimal has in two forms and instants of one second share.
 */
function insertsTogether({ schema: { dialect, fields }, key }: Known): boolean {
  return dialect !== 'mysql' && ['Int', 'BigInt', 'String'].includes(fields.get(key)?.type ?? '')
}

/** Adds rows by one statement and returns them in their order, read by SQL where a result of Prisma lacks columns. */
async function insertRows(
  client: Client,
  data: readonly Row[],
  info: Known,
  ask: (statement: Sql) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const { schema, key } = info
  const { select, isWhole } = resultOf(info)
  const created = await asDriver(() => modelOf(client, schema).createManyAndReturn({ data, select }))
  if (isWhole) return created.map((row) => asSelected(row, schema))
  const keys = created.map((row): Sql => [{ value: row[key] }])
  const rows = await ask(
    selectRows(nameOf(schema), { where: sql`${{ column: key }} in (${joinPieces(keys, ', ')})` }, schema),
  )
  const byKey = new Map(rows.map((row) => [String(row[key]), row]))
  return created.map((row) => byKey.get(String(row[key]))).filter((row) => row !== undefined)
}

/** Returns the limits of a transaction of at most so many seconds; without them those of the client hold. */
function limitsOf(dialect: Dialect, seconds: number | undefined): TransactionLimits {
  const milliseconds = seconds === undefined ? undefined : Math.ceil(seconds * 1000)
  return {
    ...(dialect === 'mysql' && { isolationLevel: 'ReadCommitted' }),
    ...(milliseconds !== undefined && { maxWait: milliseconds, timeout: milliseconds }),
  }
}

function quote(name: string, dialect: Dialect): string {
  const mark = dialect === 'mysql' ? '`' : '"'
  return `${mark}${name.replaceAll(mark, mark + mark)}${mark}`
}

function nameOf({ schema, table, dialect }: Schema): string {
  return [schema, table].filter((name) => name !== undefined).map((name) => quote(name, dialect)).join('.')
}

function selectRows(table: string, selection: Selection, schema: Schema): Sql {
  const { fields, dialect } = schema
  const { where, order = [], limit, offset, extras = {}, lock } = selection
  const columns = [...fields.values()].filter(({ isOmitted }) => !isOmitted).map((
    field,
  ): Sql => [...selectAs(field, dialect), ` as ${quote(field.name, dialect)}`])
  const more = Object.entries(extras).map(([name, piece]): Sql => [...piece, ` as ${quote(name, dialect)}`])
  return [
    ...sql`select ${joinPieces([...columns, ...more], ', ')} from `,
    table,
    ...sql` where ${where}`,
    ...(order.length > 0 ? sql` order by ${orderBy(order).map((part) => ordering(part, schema))}` : []),
    ...(limit === undefined ? [] : [` limit ${limit}`]),
    ...(offset === undefined ? [] : [` offset ${offset}`]),
    ...(lock === undefined ? [] : [lockText(lock, dialect)]),
  ]
}

/**
 * Names the column of the table where the result has its text under the same name: rows would be ordered by the text,
 * a decimal of 9.5 after one of 10.
 */
function ordering(part: string | Part, { table, fields, dialect }: Schema): string | Part {
  const field = typeof part === 'object' && 'column' in part ? fields.get(part.column) : undefined
  if (field === undefined || selectAs(field, dialect).length === 1) return part
  return `${quote(table, dialect)}.${quote(field.column, dialect)}`
}

/**
 * Returns the columns that Prisma returns of new rows. A decimal loses its last zeros in its result, so of a row with
 * one it is the key, by which the row is read again.
 */
function resultOf({ schema, key }: Known): { readonly select: Row; readonly isWhole: boolean } {
  const fields = [...schema.fields.values()].filter(({ isOmitted }) => !isOmitted)
  const isWhole = !fields.some(({ type }) => type === 'Decimal')
  return { isWhole, select: isWhole ? Object.fromEntries(fields.map(({ name }) => [name, true])) : { [key]: true } }
}

async function insertRow(client: Client, data: Row, info: Known): Promise<Inserted> {
  const { schema, key } = info
  const { select, isWhole } = resultOf(info)
  const row = await asDriver(() => modelOf(client, schema).create({ data, select }))
  return isWhole ? { row: asSelected(row, schema) } : { key: row[key] }
}

function compile(
  statement: Sql,
  { fields, dialect }: Schema,
): { readonly text: string; readonly values: readonly unknown[] } {
  const values: unknown[] = []
  const value = (each: unknown): string => placeholder(dialect, values.push(each))
  const column = (name: string): string => quote(fields.get(name)?.column ?? name, dialect)
  const raw = (condition: unknown): string => {
    const { strings, values: bound } = checkRaw(condition)
    return strings.map((text, index) => (index === 0 ? text : `${value(bound[index - 1])}${text}`)).join('')
  }
  return { text: writePiece(statement, { text: String, column, value, raw }).join(''), values }
}

/** The result of `Prisma.sql`. */
interface Fragment {
  readonly strings: readonly string[]
  readonly values: readonly unknown[]
}

function isFragment(raw: unknown): raw is Fragment {
  return hasProperties(raw) && 'inspect' in raw && Array.isArray(raw.strings) && Array.isArray(raw.values)
}

/** @throws MisuseError `store_raw` for a value that is not a fragment of Prisma, and for an empty one. */
function checkRaw(raw: unknown): Fragment {
  if (isFragment(raw) && raw.strings.join('').trim() !== '') return raw
  throw new MisuseError(
    'store_raw',
    'A raw condition of a prismaStore is a fragment of SQL, as in raw(Prisma.sql`…`). Rows are read by SQL, which '
      + 'Prisma does not make of a `where` object: read the keys by the object, and compare them with `in`.',
  )
}
