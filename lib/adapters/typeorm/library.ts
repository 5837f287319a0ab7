import type { Row } from '../sql/table.js'

/* The part of TypeORM 1.1 that the store calls, by structure: nothing of TypeORM is imported. */

export interface DataSource {
  readonly isInitialized: boolean
  readonly options: { readonly type: string }
  readonly driver: Driver
  readonly manager: Manager
  getMetadata(entity: unknown): Metadata
}

interface Driver {
  /** The pools of the server and its replicas, of PostgreSQL by node-postgres. */
  readonly master?: unknown
  readonly slaves?: readonly unknown[]
  /** The digits of the server's version. */
  readonly version?: string
  escape(name: string): string
  isReturningSqlSupported(statement: 'insert'): boolean
  preparePersistentValue(value: unknown, column: ColumnMetadata): unknown
  prepareHydratedValue(value: unknown, column: ColumnMetadata): unknown
}

export interface Manager {
  readonly queryRunner?: { readonly isTransactionActive: boolean } | undefined
  transaction<T>(work: (manager: Manager) => Promise<T>): Promise<T>
  transaction<T>(level: 'READ COMMITTED', work: (manager: Manager) => Promise<T>): Promise<T>
  query(text: string, parameters: readonly unknown[]): Promise<readonly Row[]>
  create(entity: unknown, fields: Row): object
  createQueryBuilder(entity: unknown, alias: string): Select
  createQueryBuilder(): Statements
}

export interface Metadata {
  readonly name: string
  readonly tableName: string
  readonly schema?: string | undefined
  readonly columns: readonly ColumnMetadata[]
  readonly primaryColumns: readonly ColumnMetadata[]
  readonly deleteDateColumn?: ColumnMetadata | undefined
}

export interface ColumnMetadata {
  readonly propertyName: string
  readonly propertyPath: string
  readonly databaseName: string
  readonly type: unknown
  readonly isArray: boolean
  readonly isInsert: boolean
  readonly isVirtual: boolean
  readonly isVirtualProperty: boolean
  readonly embeddedMetadata?: unknown
  readonly transformer?: Transformer | readonly Transformer[] | undefined
  getEntityValue(entity: object): unknown
}

export interface Transformer {
  to(value: unknown): unknown
}

interface Parameters {
  getParameters(): Row
  setParameter(name: string, value: unknown): unknown
}

export interface Select extends Parameters {
  withDeleted(): Select
  select(columns: string | readonly string[]): Select
  addSelect(text: string, name: string): Select
  from(entity: unknown, alias: string): Select
  where(condition: unknown): Select
  setFindOptions(options: object): Select
  addOrderBy(text: string, direction: 'ASC' | 'DESC', nulls?: 'NULLS LAST'): Select
  limit(limit: number): Select
  offset(offset: number): Select
  setLock(mode: 'pessimistic_read' | 'pessimistic_write'): Select
  subQuery(): Select
  getQuery(): string
  getCount(): Promise<number>
  getRawMany(): Promise<readonly Row[]>
  getRawAndEntities(): Promise<{ readonly raw: readonly Row[]; readonly entities: readonly object[] }>
}

interface Statements {
  insert(): { into(entity: unknown, columns: readonly string[]): { values(entities: readonly object[]): Insert } }
  update(entity: unknown): { set(changes: Row): Change }
  delete(): { from(entity: unknown): Change }
}

export interface Insert {
  returning(columns: '*'): Insert
  execute(): Promise<{ readonly raw: readonly Row[]; readonly identifiers: readonly Row[] }>
}

export interface Change extends Parameters {
  where(condition: string): Change
  execute(): Promise<{ readonly affected?: number | null }>
}
