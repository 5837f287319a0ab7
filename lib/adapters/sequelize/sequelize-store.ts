import { checkOptionNames, MisuseError } from '../../core/index.js'
import type { Store } from '../../crud/contract/index.js'
import { guardConnections, type Model } from './library.js'
import { columnsOf, tableOf, type Known } from './table.js'
import { checkColumns, type ColumnType, type Dialect, type NoColumns, type Columns,
  type TypedValue } from '../sql/kinds.js'
import { sqlStore } from '../sql/store.js'
import type { Row } from '../sql/table.js'

/** A Sequelize model, by structure alone. */
export interface SequelizeModel<Attributes, Transaction> {
  new(...args: never[]): { readonly _attributes: Attributes }
  readonly sequelize?: { transaction(): Promise<Transaction> }
  readonly rawAttributes: object
}

/** A row of a model: its attributes, and typed columns according to the option `columns`. */
export type SequelizeRow<Attributes, C extends Columns> = {
  [K in keyof Attributes]-?: K extends keyof C ? TypedValue<Attributes[K], C[K]> : Exclude<Attributes[K], undefined>
}

type Declaration<Attributes, C> = {
  readonly [K in keyof C]: K extends keyof Attributes ? ColumnType : `The model has no attribute "${K & string}"`
}

export interface SequelizeStoreOptions<Attributes, C extends Columns> {
  /**
   * The types of columns, if you want other values than Sequelize reads: `{ id: 'integer', price:
   * 'number' }`.
   *
   * @default as Sequelize reads them
   */
  readonly columns?: C & Declaration<Attributes, C> | undefined
  /**
   * Must be `true` for a `paranoid` model: the store sees its deleted rows too and deletes rows for good. Give that
   * column to `softDelete` of `crud`, or exclude deleted rows by its `scope`.
   */
  readonly withDeleted?: true | undefined
}

/**
 * Makes a store of a Sequelize model, on PostgreSQL, MySQL, MariaDB and SQLite.
 *
 * The store's `db` is the transaction that it is inside of, `null` outside: `Author.findAll({ transaction: db })`.
 * Validations, hooks, getters and setters of the model apply, and the conditions of its default scope.
 *
 * @throws MisuseError `sequelize_option_unknown` and `sequelize_columns` for options that do not exist,
 * `sequelize_model` for a model that is not initialized, without a primary key of one column, with deleted rows but not
 * `withDeleted`, with a default scope that is more than a `where`, or on another kind of database. When the store is
 * used: `store_column`, `store_column_type`, `store_condition` and `store_raw` as with `kyselyStore`.
 * @example
 * const posts = sequelizeStore(Post, { columns: { id: 'integer' } })
 */
export function sequelizeStore<Attributes extends object, Transaction, const C extends Columns = NoColumns>(
  model: SequelizeModel<Attributes, Transaction>,
  options?: SequelizeStoreOptions<Attributes, C>,
): Store<SequelizeRow<Attributes, C>, Transaction | null>
export function sequelizeStore(
  model: object,
  options: { readonly columns?: Row | undefined; readonly withDeleted?: true | undefined } = {},
): Store<Row> {
  checkOptionNames('sequelizeStore', options, ['columns', 'withDeleted'], 'sequelize_option_unknown')
  const { columns = {}, withDeleted = false } = options
  const info = describeModel(model as Model, columns)
  checkRows(info.model, withDeleted)
  if (info.dialect === 'postgres') guardConnections(info.sequelize)
  return sqlStore(tableOf(null, info))
}

const DIALECTS = new Map<string, Dialect>([
  ['postgres', 'postgres'],
  ['mysql', 'mysql'],
  ['mariadb', 'mysql'],
  ['sqlite', 'sqlite'],
])

function describeModel(model: Model, columns: Readonly<Record<string, unknown>>): Known {
  const { name, sequelize, primaryKeyAttributes } = model
  if (sequelize === undefined) throw misfit(`\`${name}\` is not initialized`, 'call its init first')
  const dialect = DIALECTS.get(sequelize.getDialect())
  const dialects = [...DIALECTS.keys()].join(', ')
  if (dialect === undefined) throw misfit(`the dialect of \`${name}\` is another`, `there are ${dialects}`)
  const [key, ...others] = primaryKeyAttributes
  const isKeyed = key !== undefined && others.length === 0
  if (!isKeyed) throw misfit(`\`${name}\` has no primary key of one column`, 'give it one')
  const names = new Set(columnsOf(model).map(([attribute]) => attribute))
  checkColumns(`sequelizeStore of \`${name}\``, columns, 'sequelize_columns', names)
  return { model, sequelize, dialect, key, columns }
}

/** @throws MisuseError where it is not plain which rows the model has. */
function checkRows({ name, options, _scope = {} }: Model, withDeleted: boolean): void {
  if (options.paranoid === true && !withDeleted) {
    throw misfit(`\`${name}\` is paranoid`, 'give { withDeleted: true } to the store and softDelete to crud')
  }
  const part = Object.keys(_scope).find((other) => other !== 'where')
  if (part === undefined) return
  throw misfit(`the default scope of \`${name}\` has \`${part}\``, 'give the store the model as unscoped()')
}

function misfit(problem: string, remedy: string): MisuseError {
  return new MisuseError('sequelize_model', `sequelizeStore: ${problem}: ${remedy}.`)
}
