import { guardClients, type PgModule } from '../sql/pg-pool.js'
import type { Row } from '../sql/table.js'

/* The part of Sequelize 6 that the store uses, by structure: nothing of Sequelize is imported. */

export interface Model {
  readonly name: string
  readonly prototype: object
  readonly sequelize?: Sequelize
  readonly queryGenerator: QueryGenerator
  readonly rawAttributes: Readonly<Record<string, Attribute>>
  readonly primaryKeyAttributes: readonly string[]
  readonly options: { readonly paranoid?: boolean }
  readonly _scope?: Readonly<Record<string, unknown>>
  getTableName(): string | { readonly tableName: string; readonly schema?: string }
  hasHook(name: string): boolean
  findAll(options: { readonly raw: true }): Promise<readonly Row[]>
  findAll(options: object): Promise<readonly Instance[]>
  findOne(options: object): Promise<Instance | null>
  count(options: object): Promise<unknown>
  create(fields: Row, options: object): Promise<Instance>
  bulkCreate(rows: readonly Row[], options: object): Promise<readonly Instance[]>
  destroy(options: object): Promise<number>
}

export interface Sequelize {
  hasHook(name: string): boolean
  getDialect(): string
  readonly Sequelize: { readonly DataTypes: { DATE(digits: number): object } }
  /** Not documented: the type of its dialect. */
  normalizeDataType(type: object): Attribute['type']
  literal(text: string): object
  query(text: string, options: object): Promise<readonly Row[]>
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>
  transaction<T>(
    options: { readonly isolationLevel: 'READ COMMITTED' },
    work: (transaction: Transaction) => Promise<T>,
  ): Promise<T>
  readonly options: { readonly timezone?: string }
  /** Not documented: its module of node-postgres. */
  readonly connectionManager?: { lib?: PgModule }
}

const guardedManagers = new WeakSet<object>()

/**
 * Listens for lost connections of node-postgres: Sequelize listens from a later promise on, and until then the loss of
 * a new connection would end the process.
 */
export function guardConnections({ connectionManager }: Sequelize): void {
  if (connectionManager?.lib === undefined || guardedManagers.has(connectionManager)) return
  guardedManagers.add(connectionManager)
  connectionManager.lib = guardClients(connectionManager.lib)
}

export type Transaction = object | null

interface QueryGenerator {
  quoteIdentifier(name: string): string
  escape(value: unknown): string
  getWhereConditions(where: object, alias: string, model: Model): string
}

export interface Attribute {
  readonly field?: string
  readonly type: { readonly key: string; stringify?(value: unknown, options: object): string }
  /** A setter of the model's own. */
  readonly set?: unknown
}

export interface Instance {
  get(attribute: string): unknown
  getDataValue(attribute: string): unknown
  set(attribute: string, value: unknown): unknown
  setDataValue(attribute: string, value: unknown): void
  save(options: object): Promise<unknown>
}
