import { checkOptionNames, MisuseError, show } from '../../core/index.js'
import type { Store } from '../../crud/contract/index.js'
import { checkColumns, type ColumnType, type Dialect, type NoColumns, type Columns,
  type TypedValue } from '../sql/kinds.js'
import { guardPool } from '../sql/pg-pool.js'
import { sqlStore } from '../sql/store.js'
import type { Row } from '../sql/table.js'
import type { DataSource, Metadata } from './library.js'
import { propertiesOf, tableOf, type Entity as Known } from './table.js'

/** A `DataSource` of TypeORM's, by structure alone. */
export interface TypeormDataSource<Manager> {
  readonly isInitialized: boolean
  readonly manager: Manager
  getMetadata(entity: never): object
}

/** A class of entities, or a repository of them, as for an `EntitySchema`. */
export type TypeormEntity<Entity> = (abstract new(...args: never[]) => Entity) | TypeormRepository<Entity>

interface TypeormRepository<Entity> {
  readonly target: unknown
  find(): Promise<Entity[]>
}

type Scalar = string | number | bigint | boolean | Date | Uint8Array | null | undefined

/** A property that is a column by its type: no method, and nothing that could be a relation. */
type IsScalar<Value> = [Value] extends [Scalar | readonly Scalar[]] ? true : unknown extends Value ? true : false

/**
 * A row of an entity: its properties that hold a value or a list of values, and typed columns according to the
 * option `columns`.
 *
 * A property that holds an object may be a relation; it is in the row where `columns` calls it `json`, and keeps its
 * type.
 */
export type TypeormRow<Entity, C extends Columns> = {
  [K in keyof Entity as K extends keyof C ? K : IsScalar<Entity[K]> extends true ? K : never]-?: K extends keyof C
    ? TypedValue<Entity[K], C[K]>
    : Exclude<Entity[K], undefined>
}

type Declaration<Entity, C> = {
  readonly [K in keyof C]: K extends keyof Entity ? ColumnType : `The entity has no property "${K & string}"`
}

export interface TypeormStoreOptions<Entity, C extends Columns> {
  /**
   * The types of columns, if you want other values than TypeORM reads: `{ id: 'integer', price:
   * 'number' }`. A column of JSON is named here as `json`, since the type of its property is like that of a
   * relation.
   *
   * @default as TypeORM reads them
   */
  readonly columns?: C & Declaration<Entity, C> | undefined
  /**
   * Must be `true` for an entity with a `@DeleteDateColumn`: the store sees its deleted rows too and deletes rows for
   * good. Give that column to `softDelete` of `crud`, or exclude deleted rows by its `scope`.
   */
  readonly withDeleted?: true | undefined
}

/**
 * Makes a store of a TypeORM entity, on PostgreSQL, MySQL, MariaDB and SQLite.
 *
 * Inside a transaction the store's `db` is the `EntityManager` of that transaction, for other entities. The data source
 * must be initialized. Subscribers and the listeners of insertions run; an update is that of a query builder, which has
 * no entity.
 *
 * @throws MisuseError `typeorm_option_unknown` and `typeorm_columns` for options that do not exist, `typeorm_entity`
 * for an entity without a primary key of one column, with deleted rows but not `withDeleted`, or on a data source that
 * is not initialized or on another kind of database. When the store is used: `store_column`, `store_column_type`,
 * `store_condition` and `store_raw` as with `kyselyStore`.
 * @example
 * const posts = typeormStore(dataSource, Post, { columns: { id: 'integer' } })
 */
export function typeormStore<Manager, Entity extends object, const C extends Columns = NoColumns>(
  dataSource: TypeormDataSource<Manager>,
  entity: TypeormEntity<Entity>,
  options?: TypeormStoreOptions<Entity, C>,
): Store<TypeormRow<Entity, C>, Manager>
export function typeormStore(
  dataSource: TypeormDataSource<unknown>,
  entity: object,
  options: { readonly columns?: Row | undefined; readonly withDeleted?: true | undefined } = {},
): Store<Row> {
  checkOptionNames('typeormStore', options, ['columns', 'withDeleted'], 'typeorm_option_unknown')
  if (!isInitialized(dataSource))
    throw misfit('the data source is not initialized', 'await dataSource.initialize() first')
  const target = 'find' in entity && 'target' in entity ? entity.target : entity
  const metadata = dataSource.getMetadata(target)
  const { columns = {}, withDeleted } = options
  const properties = propertiesOf(metadata)
  checkColumns(`typeormStore of \`${metadata.name}\``, columns, 'typeorm_columns', new Set(properties.keys()))
  if (metadata.deleteDateColumn !== undefined && withDeleted !== true) {
    const remedy = 'give { withDeleted: true } to the store and softDelete to crud'
    throw misfit(`\`${metadata.name}\` has a delete date`, remedy)
  }
  // TypeORM listens from a later promise on: until then the loss of a new connection would end the process.
  for (const pool of [dataSource.driver.master, ...(dataSource.driver.slaves ?? [])]) guardPool(pool)
  const [dialect, key] = [dialectOf(dataSource), keyOf(metadata, properties)]
  const info: Known = { dataSource, target, metadata, properties, columns, dialect, key }
  return sqlStore(tableOf(dataSource.manager, info))
}

function isInitialized(dataSource: TypeormDataSource<unknown>): dataSource is DataSource {
  return dataSource.isInitialized
}

const DIALECTS = new Map<string, Dialect>([
  ['postgres', 'postgres'],
  ['aurora-postgres', 'postgres'],
  ['mysql', 'mysql'],
  ['mariadb', 'mysql'],
  ['aurora-mysql', 'mysql'],
  ['better-sqlite3', 'sqlite'],
  ['sqljs', 'sqlite'],
])

function dialectOf({ options: { type } }: DataSource): Dialect {
  const dialect = DIALECTS.get(type)
  if (dialect !== undefined) return dialect
  throw misfit(`the data source is of type ${show(type)}`, `there are ${[...DIALECTS.keys()].join(', ')}`)
}

function keyOf(metadata: Metadata, properties: Known['properties']): string {
  const [key, ...others] = metadata.primaryColumns
  if (key !== undefined && others.length === 0 && properties.get(key.propertyName) === key) return key.propertyName
  throw misfit(`\`${metadata.name}\` has no primary key of one column`, 'give it one')
}

function misfit(problem: string, remedy: string): MisuseError {
  return new MisuseError('typeorm_entity', `typeormStore: ${problem}: ${remedy}.`)
}
