import { Catalog, questionsOf, type Line, type Place, type Question } from '../sql/catalog.js'
import type { Adapter } from './dialect.js'
import type { Database, Table, TableNode } from './table.js'

/** The catalogs that were read, for stores that are made anew inside each transaction. A Kysely and its transactions share one adapter. */
const read = new WeakMap<Adapter, Map<string, readonly Line[]>>()

/** Gives the catalog of a table on a database or on a transaction. */
export type Describe = (db: Database) => Promise<Catalog>

/**
 * Reads the catalog of a table once, at the first use. A transaction reads it on its own connection: to wait for another one could last
 * for ever where there is only one.
 */
export function describing(table: Table): Describe {
  let known: Catalog | undefined
  return async (db) => {
    if (known !== undefined) return known
    const catalog = await catalogOf(db, table)
    // A table that is yet to be created is looked at again.
    if (!catalog.isEmpty) known = catalog
    return catalog
  }
}

async function catalogOf(db: Database, { table, columns, dialect }: Table): Promise<Catalog> {
  const { adapter } = db.getExecutor()
  const place = placeOf(db, table)
  const name = JSON.stringify(place)
  const tables = read.get(adapter) ?? new Map<string, readonly Line[]>()
  read.set(adapter, tables)
  const known = db.isTransaction ? tables.get(name) : undefined
  const lines = known ?? await ask(db, questionsOf(dialect, place))
  if (lines.length > 0) tables.set(name, lines)
  const fields = await fieldsOf(db, lines.filter(({ part }) => part === 'column').map((line) => String(line.name)))
  return new Catalog(table, dialect, columns, lines, (column) => fields.get(column) ?? column)
}

/** Finds the schema and the table that a statement names, as the plugins have made it. */
function placeOf(db: Database, table: string): Place {
  const [node] = db.selectFrom(table).selectAll().toOperationNode().from?.froms ?? []
  const named = (node as Partial<TableNode> | undefined)?.table
  return { schema: named?.schema?.name, table: named?.identifier.name ?? table }
}

async function ask(db: Database, [first, ...others]: readonly [Question, ...Question[]]): Promise<readonly Line[]> {
  const lines = [...await linesOf(db, first)]
  // Without them a CHECK has no columns, and all else is as it should be.
  for (const question of others) lines.push(...await linesOf(db, question).catch(() => []))
  return lines
}

async function linesOf(db: Database, { sql, parameters }: Question): Promise<readonly Line[]> {
  const query = { kind: 'RawNode', sqlFragments: [sql], parameters: [] }
  const { rows } = await db.withoutPlugins().executeQuery({ sql, parameters, query, queryId: { queryId: 'resourcery' } })
  return rows as unknown as readonly Line[]
}

/** Finds the fields of a row that the plugins read columns into. */
async function fieldsOf(db: Database, columns: readonly string[]): Promise<ReadonlyMap<string, string>> {
  let result: { readonly rows: readonly Readonly<Record<string, unknown>>[] } = { rows: [Object.fromEntries(columns.map((column, index) => [column, index]))] }
  for (const plugin of db.getExecutor().plugins) result = await plugin.transformResult({ queryId: { queryId: 'resourcery' }, result })
  return new Map(Object.entries(result.rows[0] ?? {}).map(([field, index]) => [columns[Number(index)] ?? field, field]))
}
