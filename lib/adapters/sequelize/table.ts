import { MisuseError } from '../../core/index.js'
import { inTurns } from '../sql/lock.js'
import { declaredTypes, type Columns, type ColumnType, type Dialect } from '../sql/kinds.js'
import { compileText, sql, writePiece, type Sql } from '../sql/statement.js'
import { codecBeside, orderBy, type Codec, type Row, type Selection, type SqlTable } from '../sql/table.js'
import type { Attribute, Instance, Model, Sequelize, Transaction } from './library.js'
import { refusals } from './refusals.js'

/** The part of a model that does not change inside a transaction. */
export interface Known {
  readonly model: Model
  readonly sequelize: Sequelize
  readonly dialect: Dialect
  readonly key: string
  readonly columns: Columns
}

/** The symbol of Sequelize's `Op.and`. */
const AND = Symbol.for('and')

/** The model on its database, or on a transaction of it. */
export function tableOf(transaction: Transaction, info: Known): SqlTable<Transaction> {
  const { model, sequelize, dialect, key } = info
  const isTransaction = transaction !== null
  // Soft-deleted rows are included. `null` keeps Sequelize from taking a transaction of the asynchronous context.
  const common = { transaction, paranoid: false }
  const matching = (where: Sql, alias?: string): object => (
    { ...common, where: { [AND]: [sequelize.literal(textOf(where, model, alias))] } }
  )
  const individualHooks = model.hasHook('beforeDestroy') || model.hasHook('afterDestroy')
  return inTurns({
    name: model.name,
    dialect,
    key,
    columns: { ...ownTypes(model), ...info.columns },
    db: transaction,
    isTransaction,
    identity: sequelize,
    place: () => placeOf(model),
    fields: () => new Map(columnsOf(model).map(([name, { field = name }]) => [field, name])),
    isConverted: (column) => model.rawAttributes[column]?.set !== undefined,
    codec: () => codecOf(info),
    query: (statement) => runQuery(sequelize, statement, transaction),
    select: (selection) => selectRows(info, matching(selection.where, model.name), selection),
    count: (where) => model.count(matching(where, model.name)),
    compute: async (where, expressions) => {
      const attributes = literals(expressions, info)
      const rows = await model.findAll({ ...matching(where, model.name), attributes, raw: true })
      return rows[0] ?? {}
    },
    insert: (row) =>
      refusals(row, model, async () => {
        const instance = await model.create(row, common)
        // Only PostgreSQL returns the row as it is stored.
        return dialect === 'postgres' ? { row: rowOf(instance, model) } : { key: instance.getDataValue(key) }
      }),
    // Sequelize reads rows from `returning` on PostgreSQL alone.
    insertMany: dialect !== 'postgres' ? undefined : (rows) =>
      refusals(rows[0] ?? {}, model, async () => {
        const instances = await addTogether(info, rows, common)
        return instances.map((instance) => rowOf(instance, model))
      }),
    update: (changes, where) =>
      refusals(changes, model, async () => {
        const instance = await model.findOne({ ...matching(where, model.name), ...(isTransaction && { lock: true }) })
        if (instance !== null) await setAttributes(instance, changes, model).save(common)
      }),
    delete: (where) => model.destroy({ ...matching(where), force: true, individualHooks }),
    transaction: (work) =>
      dialect === 'mysql'
        ? sequelize.transaction({ isolationLevel: 'READ COMMITTED' }, work)
        : sequelize.transaction(work),
    on: (other) => tableOf(other, info),
  }, sequelize)
}

/** The hooks of a single creation, which `bulkCreate` does not run. */
// dprint-ignore
const HOOKS = [
  'beforeValidate', 'afterValidate', 'validationFailed', 'beforeCreate', 'afterCreate', 'beforeSave', 'afterSave',
]

/** Adds records with the same attributes by one statement, or one by one where a hook has to see each of them. */
async function addTogether(
  { model, sequelize }: Known,
  rows: readonly Row[],
  common: object,
): Promise<readonly Instance[]> {
  if (!HOOKS.some((name) => model.hasHook(name) || sequelize.hasHook(name))) {
    return model.bulkCreate(rows, { ...common, validate: true, hooks: false, returning: true })
  }
  const instances: Instance[] = []
  for (const row of rows) instances.push(await model.create(row, common))
  return instances
}

export function columnsOf({ rawAttributes }: Model): readonly (readonly [name: string, attribute: Attribute])[] {
  return Object.entries(rawAttributes).filter(([, { type }]) => type.key !== 'VIRTUAL')
}

function placeOf(model: Model): ReturnType<SqlTable<Transaction>['place']> {
  const name = model.getTableName()
  if (typeof name === 'string') return { schema: undefined, table: name }
  return { schema: name.schema === '' ? undefined : name.schema, table: name.tableName }
}

async function runQuery(sequelize: Sequelize, statement: Sql, transaction: Transaction): Promise<readonly Row[]> {
  // Sequelize writes the marks of every database in this way.
  const { text, parameters: bind } = compileText(statement, 'postgres')
  return sequelize.query(text, { bind, type: 'SELECT', raw: true, transaction })
}

/** Returns expressions under their names, as `findAll` selects them. */
function literals(pieces: Readonly<Record<string, Sql>>, { model, sequelize }: Known): [object, string][] {
  return Object.entries(pieces).map(([name, piece]) => [sequelize.literal(textOf(piece, model, model.name)), name])
}

async function selectRows(info: Known, matching: object, selection: Selection): Promise<readonly Row[]> {
  const { model, sequelize, columns } = info
  const { order = [], limit, offset, extras = {}, lock } = selection
  // The driver of MariaDB makes a number of a decimal, which has fewer digits.
  const decimals = sequelize.getDialect() === 'mariadb'
    ? Object.keys(columns).filter((column) => columns[column] === 'decimal')
    : []
  const texts = decimals.map((column) => [column, sql`cast(${{ column }} as char)`] as const)
  const instances = await model.findAll({
    ...matching,
    attributes: {
      ...(decimals.length > 0 && { exclude: decimals }),
      include: literals({ ...extras, ...Object.fromEntries(texts) }, info),
    },
    ...(order.length > 0 && { order: sequelize.literal(textOf(orderBy(order), model, model.name)) }),
    ...(limit !== undefined && { limit }),
    ...(offset !== undefined && { offset }),
    ...(lock !== undefined && { lock: lock === 'share' ? 'SHARE' : true }),
  })
  return instances.map((instance) => {
    const more = Object.keys(extras).map((name): [string, unknown] => [name, instance.getDataValue(name)])
    return { ...rowOf(instance, model), ...Object.fromEntries(more) }
  })
}

function rowOf(instance: Instance, model: Model): Row {
  const values = columnsOf(model).map(([name]): [string, unknown] => [name, instance.get(name)])
  // A column that the model does not select is not in the row.
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

/** Sets the attributes of a record: `set` would ignore the time of its deletion, which Sequelize calls read-only. */
function setAttributes(instance: Instance, changes: Row, { rawAttributes }: Model): Instance {
  for (const [name, value] of Object.entries(changes)) {
    if (rawAttributes[name]?.set === undefined) instance.setDataValue(name, value)
    else instance.set(name, value)
  }
  return instance
}

/** Writes SQL as text: names are quoted and values escaped by Sequelize. Only a selection has an alias. */
function textOf(piece: Sql, model: Model, alias?: string): string {
  const { queryGenerator, rawAttributes } = model
  const quote = (name: string): string => queryGenerator.quoteIdentifier(name)
  return writePiece(piece, {
    text: String,
    column: (name) => `${alias === undefined ? '' : `${quote(alias)}.`}${quote(rawAttributes[name]?.field ?? name)}`,
    value: (value) => queryGenerator.escape(value),
    raw: (raw) => queryGenerator.getWhereConditions(checkRaw(raw, model), model.name, model),
  }).join('')
}

/** @throws MisuseError `store_raw` for a value that is not a condition of Sequelize, and for an empty `where`. */
function checkRaw(raw: unknown, model: Model): object {
  if (isPlain(raw) && Reflect.ownKeys(raw).length > 0) return inFields(raw, model)
  const isMade = typeof raw === 'object' && raw !== null && !Array.isArray(raw) && !isPlain(raw)
  if (isMade) return raw
  const ways = 'a `where` of findAll, as in raw({ teamId: [1, 2] }), or a literal(…)'
  throw new MisuseError('store_raw', `A raw condition of a sequelizeStore is ${ways}.`)
}

type Where = Readonly<Record<string | symbol, unknown>>

function isPlain(value: unknown): value is Where {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

/** Names the columns of the database in a `where`, as `findAll` does. */
function inFields(where: Where, model: Model): object {
  const inner = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inner)
    return isPlain(value) ? inFields(value, model) : value
  }
  return Object.fromEntries(Reflect.ownKeys(where).map((name) => {
    if (typeof name === 'symbol') return [name, inner(where[name])]
    const attribute = Object.hasOwn(model.rawAttributes, name) ? model.rawAttributes[name] : undefined
    return [attribute?.field ?? name, where[name]]
  }))
}

/** The types of Sequelize whose values a row has as the store's types do. */
const OWN_TYPES = new Map<string, ColumnType>([
  ['BOOLEAN', 'boolean'],
  ['DATE', 'date'],
  ['DATEONLY', 'calendarDate'],
  ['JSON', 'json'],
  ['JSONB', 'json'],
  ['ARRAY', 'json'],
])

function ownTypes(model: Model): Columns {
  return declaredTypes(columnsOf(model), ({ type }) => OWN_TYPES.get(type.key))
}

function codecOf({ model, sequelize, dialect, columns }: Known): Codec {
  return codecBeside(ownTypes(model), columns, dialect, (name, value) => {
    if (!(value instanceof Date)) return value
    const own = model.rawAttributes[name]?.type
    // The type of an attribute may be a string, as for a `timestamp`.
    const type = own?.stringify === undefined ? sequelize.normalizeDataType(sequelize.Sequelize.DataTypes.DATE(3)) : own
    return type.stringify?.(value, { timezone: sequelize.options.timezone })
  })
}
