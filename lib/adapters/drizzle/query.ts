/*
 * The part of drizzle-orm 0.45 that the source uses, as structural types: nothing of it is imported, so that it is an
 * optional package.
 */

export interface Query {
  readonly config: Config
  readonly session: { count(sql: Sql): Promise<unknown> }
  readonly dialect: { buildSelectQuery(config: Config): Sql; escapeName?(name: string): string }
  toSQL(): { readonly sql: string }
  prepare(): { execute(): PromiseLike<Row[]> }
}

export type Row = Record<string, unknown>

/** A query as plain data. */
export interface Config {
  readonly fields: Fields
  readonly where?: unknown
  readonly having?: unknown
  readonly groupBy?: readonly unknown[] | undefined
  readonly orderBy?: readonly unknown[] | undefined
  readonly distinct?: unknown
  readonly limit?: unknown
  readonly offset?: unknown
  readonly lockingClause?: unknown
  readonly setOperators: readonly Config[]
}

/** The selected columns and expressions by property, in a join by table and property. */
export interface Fields {
  readonly [property: string]: Field | Fields
}

export interface Field {
  getSQL(): Sql
  /** The statement of an expression with an alias. */
  readonly sql?: Sql
  /** The name of a column in its table. */
  readonly name?: string
  /** The type of a column. */
  readonly columnType?: string
}

export interface Sql {
  getSQL(): Sql
  readonly constructor: unknown
}

/** Returns a changed copy of a query, which is mutable itself. */
export function changeCopy(query: Query, changes: Partial<Config>): Query {
  return Object.create(query, { config: { value: { ...query.config, ...changes } } }) as Query
}

/** Reads the rows of a query from an offset; a union has its limit on its last part. */
export async function readRows(query: Query, limit: number, offset?: number): Promise<Row[]> {
  const { setOperators } = query.config
  const last = setOperators.at(-1)
  const limits = last === undefined
    ? { limit, offset }
    : { setOperators: [...setOperators.slice(0, -1), { ...last, limit, offset }] }
  return await changeCopy(query, limits).prepare().execute()
}

/** Makes a statement from texts, columns, other statements and values to bind. */
export function statementOf({ dialect, config }: Query, chunks: readonly unknown[]): Sql {
  const Statement = dialect.buildSelectQuery(config).constructor as new(chunks: readonly unknown[]) => Sql
  return new Statement(chunks)
}
