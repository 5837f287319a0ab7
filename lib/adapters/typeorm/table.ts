import { checkWhere } from '../../crud/contract/index.js'
import { readRow } from '../sql/columns.js'
import { inTurns } from '../sql/lock.js'
import { declaredTypes, type Columns, type ColumnType, type Dialect } from '../sql/kinds.js'
import { compileText, writePiece, type Sql } from '../sql/statement.js'
import { codecBeside, type Codec, type Inserted, type Row, type RowLock, type Selection, type SqlTable,
  type Term } from '../sql/table.js'
import type { Change, ColumnMetadata, DataSource, Insert, Manager, Metadata, Select, Transformer } from './library.js'
import { rawCondition, rawMisuse } from './raw-condition.js'

/** The columns that are properties of an entity. */
type Properties = ReadonlyMap<string, ColumnMetadata>

/** The part of an entity that does not change inside a transaction. */
export interface Entity {
  readonly dataSource: DataSource
  readonly target: unknown
  readonly metadata: Metadata
  readonly properties: Properties
  readonly dialect: Dialect
  readonly key: string
  readonly columns: Columns
}

/** The entity on a data source or on a transaction of it. */
export function tableOf(manager: Manager, entity: Entity): SqlTable<Manager> {
  const { dataSource, target, metadata, properties, dialect } = entity
  const isTransaction = manager.queryRunner?.isTransactionActive === true
  const statements = () => manager.createQueryBuilder()
  const rows = (where: Sql): Select => {
    const query = manager.createQueryBuilder(target, aliasOf(metadata)).withDeleted()
    return query.where(textOf(query, where, entity, aliasOf(metadata)))
  }
  const change = (statement: Change, where: Sql) => statement.where(textOf(statement, where, entity)).execute()
  return inTurns({
    name: metadata.name,
    dialect,
    key: entity.key,
    columns: { ...ownTypes(properties), ...entity.columns },
    db: manager,
    isTransaction,
    identity: dataSource,
    place: () => ({ schema: metadata.schema, table: metadata.tableName }),
    fields: () => new Map([...properties].map(([name, { databaseName }]) => [databaseName, name])),
    isConverted: (name) => properties.get(name)?.transformer !== undefined,
    codec: () => codecOf(entity),
    query: (statement) => runQuery(manager, statement, dialect),
    select: (selection) => selectRows(rows(selection.where), selection, entity),
    count: (where) => rows(where).getCount(),
    compute: async (where, extras) => {
      const query = applySelection(rows(where).select([]), { where, extras }, entity)
      return (await query.getRawMany())[0] ?? {}
    },
    insert: (row) => insertQuery(manager, row, entity),
    insertMany: dataSource.driver.isReturningSqlSupported('insert')
      ? (all) => insertReturning(inserting(manager, all, entity), entity)
      : undefined,
    update: (changes, where) => change(statements().update(target).set(changes), where),
    delete: async (where) => (await change(statements().delete().from(target), where)).affected ?? 0,
    transaction: (work) =>
      dialect === 'mysql' ? manager.transaction('READ COMMITTED', work) : manager.transaction(work),
    on: (other) => tableOf(other, entity),
  }, dataSource)
}

/** Returns the columns that are properties of an entity: neither embedded nor those of a relation alone. */
export function propertiesOf({ columns }: Metadata): Properties {
  const properties = columns.filter(({ isVirtual, isVirtualProperty, embeddedMetadata }) => (
    !isVirtual && !isVirtualProperty && embeddedMetadata === undefined
  ))
  return new Map(properties.map((column) => [column.propertyName, column]))
}

/** Returns the alias of the table in a condition: `post` for the entity `Post`. */
function aliasOf({ name }: Metadata): string {
  return name.replace(/^./, (letter) => letter.toLowerCase())
}

async function runQuery(manager: Manager, statement: Sql, dialect: Dialect): Promise<readonly Row[]> {
  const { text, parameters } = compileText(statement, dialect)
  return manager.query(text, parameters)
}

async function selectRows(query: Select, selection: Selection, entity: Entity): Promise<readonly Row[]> {
  const extras = Object.keys(selection.extras ?? {})
  const days = daysOf(entity)
  for (const [name, alias] of days)
    query.addSelect(`cast(${columnOf(name, entity, aliasOf(entity.metadata))} as char)`, alias)
  const { raw, entities } = await applySelection(query, selection, entity).getRawAndEntities()
  return entities.map((found, index) => {
    const row: Record<string, unknown> = {}
    for (const [name, column] of entity.properties) {
      const value = column.getEntityValue(found)
      // A column that the entity does not select is not in the row.
      if (value !== undefined) row[name] = raw[index]?.[days.get(name) ?? ''] ?? value
    }
    for (const name of extras) row[name] = raw[index]?.[name]
    return row
  })
}

/**
 * Returns the columns of days that a driver of MySQL reads as times, of which TypeORM takes the day in the zone of the
 * process although the driver may have another one; by the names that they are selected with as text.
 */
function daysOf({ properties, dialect }: Entity): ReadonlyMap<string, string> {
  const days = [...properties].filter(([, column]) => dialect === 'mysql' && isDay(column))
  return new Map(days.map(([name], index) => [name, `resourcery_day_${index}`]))
}

function isDay({ type, transformer }: ColumnMetadata): boolean {
  return type === 'date' && transformer === undefined
}

function applySelection(query: Select, selection: Selection, entity: Entity): Select {
  const { order = [], limit, offset, extras = {}, lock } = selection
  const text = (piece: Sql): string => textOf(query, piece, entity, aliasOf(entity.metadata))
  for (const [name, piece] of Object.entries(extras)) query.addSelect(text(piece), name)
  for (const { by, ...term } of order) query.addOrderBy(text(by), ...directionOf(term))
  if (limit !== undefined) query.limit(limit)
  if (offset !== undefined) query.offset(offset)
  return lock === undefined ? query : query.setLock(modeOf(lock, entity.dataSource))
}

/** TypeORM takes a MariaDB under the type `mysql` for a MySQL 10, and would ask it for a lock that it does not know. */
function modeOf(lock: RowLock, { options, driver }: DataSource): 'pessimistic_read' | 'pessimistic_write' {
  if (lock === 'update') return 'pessimistic_write'
  const isUnknown = options.type.endsWith('mysql') && Number.parseInt(driver.version ?? '', 10) >= 10
  return isUnknown ? 'pessimistic_write' : 'pessimistic_read'
}

function directionOf({ isDescending = false, isNullsLast = false }: Omit<Term, 'by'>): ['ASC' | 'DESC', 'NULLS LAST'?] {
  const direction = isDescending ? 'DESC' : 'ASC'
  return isNullsLast ? [direction, 'NULLS LAST'] : [direction]
}

async function insertQuery(manager: Manager, row: Row, entity: Entity): Promise<Inserted> {
  const insert = inserting(manager, [row], entity)
  if (!entity.dataSource.driver.isReturningSqlSupported('insert')) {
    const { identifiers } = await insert.execute()
    return { key: identifiers[0]?.[entity.key] }
  }
  const [stored = {}] = await insertReturning(insert, entity)
  return { row: stored }
}

/**
 * Makes the statement that adds entities with the same columns, so that their listeners run. On PostgreSQL, TypeORM
 * ignores a given key unless columns are named.
 */
function inserting(manager: Manager, rows: readonly Row[], { target, metadata, key }: Entity): Insert {
  const named = rows[0]?.[key] === undefined ? [] : metadata.columns.filter(({ isInsert }) => isInsert)
  const into = manager.createQueryBuilder().insert().into(target, named.map(({ propertyPath }) => propertyPath))
  return into.values(rows.map((row) => manager.create(target, row)))
}

async function insertReturning(insert: Insert, entity: Entity): Promise<Row[]> {
  const { properties, dataSource: { driver } } = entity
  const days = daysOf(entity)
  const { raw } = await insert.returning('*').execute()
  const read = ([name, column]: readonly [string, ColumnMetadata], stored: Row): unknown => {
    const value = stored[column.databaseName]
    return days.has(name) ? readDay(value) : driver.prepareHydratedValue(value, column)
  }
  return raw.map((stored) => Object.fromEntries([...properties].map((each) => [each[0], read(each, stored)])))
}

function readDay(value: unknown): unknown {
  return readRow({ value }, { value: 'calendarDate' }).value
}

function columnOf(property: string, { dataSource: { driver }, properties }: Entity, alias?: string): string {
  const { databaseName = property } = properties.get(property) ?? {}
  return `${alias === undefined ? '' : `${driver.escape(alias)}.`}${driver.escape(databaseName)}`
}

/** Writes SQL for a query builder, which gets the values as its parameters. Only a selection has an alias. */
function textOf(query: Select | Change, piece: Sql, entity: Entity, alias?: string): string {
  const column = (property: string): string => columnOf(property, entity, alias)
  const value = (operand: unknown): string => {
    const name = `resourcery${Object.keys(query.getParameters()).length}`
    query.setParameter(name, operand)
    return `:${name}`
  }
  const raw = (condition: unknown): string => {
    const found = 'subQuery' in query && alias !== undefined ? rawCondition(query, condition, entity, alias) : undefined
    if (found === undefined) throw rawMisuse()
    return typeof found === 'string' ? found : `${column(entity.key)} in ${found.getQuery()}`
  }
  return writePiece(piece, { text: String, column, value, raw }).join('')
}

/** The types of TypeORM whose values a row has as the store's types do. */
// dprint-ignore
const OWN_TYPES = new Map<unknown, ColumnType>([
  [Boolean, 'boolean'], ['bool', 'boolean'], ['boolean', 'boolean'], ['date', 'calendarDate'],
  [Date, 'date'], ['datetime', 'date'], ['timestamp', 'date'], ['timestamptz', 'date'],
  ['timestamp with time zone', 'date'], ['timestamp without time zone', 'date'],
  ['json', 'json'], ['jsonb', 'json'], ['simple-json', 'json'], ['simple-array', 'json'],
])

/** Returns the types of columns that the entity declares; the result of a transformer is unknown. */
function ownTypes(properties: Properties): Columns {
  return declaredTypes([...properties], ({ type, isArray, transformer }) => {
    if (transformer !== undefined) return undefined
    return isArray ? 'json' : OWN_TYPES.get(type)
  })
}

function codecOf({ properties, dataSource: { driver }, dialect, columns }: Entity): Codec {
  return codecBeside(ownTypes(properties), columns, dialect, (name, value) => {
    const column = properties.get(name)
    if (column?.transformer !== undefined) return transform(name, value, column.transformer)
    const isConverted = value instanceof Date || typeof value === 'boolean'
    return column !== undefined && isConverted ? driver.preparePersistentValue(value, column) : value
  })
}

/** @throws MisuseError `store_condition` where the transformer makes a value that nothing can be compared with. */
function transform(name: string, value: unknown, transformer: Transformer | readonly Transformer[]): unknown {
  const stored = [transformer].flat().reduce((inner: unknown, each: Transformer) => each.to(inner), value)
  checkWhere([[name, '=', stored]])
  return stored
}
