import { kindOf, valuesOfCheck, type Column, type Default, type Kind, type Table } from './table.js'

/** What Drizzle 0.45 keeps of a column. */
interface DrizzleColumn {
  readonly name: string
  readonly primary: boolean
  readonly notNull: boolean
  readonly hasDefault: boolean
  readonly default: unknown
  readonly dataType: string
  readonly length?: number
  readonly scale?: number
  readonly enumValues?: readonly string[]
  readonly isUnique: boolean
  readonly uniqueName?: string
  readonly generated?: object
  readonly generatedIdentity?: object
  readonly autoIncrement?: boolean
  readonly getSQLType: () => string
}

interface ForeignKey {
  readonly reference: () => { readonly columns: readonly object[]; readonly foreignTable: object }
}

type Symbols = Readonly<Record<symbol, unknown>>

const NAME = Symbol.for('drizzle:Name')
const COLUMNS = Symbol.for('drizzle:Columns')

/** Returns the name in the database of a table of Drizzle, `undefined` for any other value. */
export function drizzleNameOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !(COLUMNS in value)) return undefined
  const name = (value as Symbols)[NAME]
  return typeof name === 'string' ? name : undefined
}

/** Reads a table of Drizzle; its rows have the names of the program. */
export function readDrizzle(table: object): Table {
  const entries = Object.entries((table as Symbols)[COLUMNS] as Record<string, DrizzleColumn>)
  const keys = foreignKeysOf(table)
  return {
    name: drizzleNameOf(table) ?? '',
    keys: entries.filter(([, column]) => column.primary).map(([name]) => name),
    columns: entries.map(([name, column]) => toColumn(name, column, keys.get(column))),
    uniques: new Map(
      entries.filter(([, { isUnique }]) => isUnique).map(([name, column]) => [column.uniqueName ?? '', name]),
    ),
  }
}

/** Returns the tables that foreign keys of one column refer to, by the column. */
function foreignKeysOf(table: object): Map<unknown, string> {
  const symbol = Object.getOwnPropertySymbols(table).find((one) => String(one).includes('InlineForeignKeys'))
  const keys = symbol === undefined ? [] : (table as Symbols)[symbol] as readonly ForeignKey[]
  return new Map(keys.flatMap(({ reference }) => {
    const { columns, foreignTable } = reference()
    return columns.length === 1 ? [[columns[0], drizzleNameOf(foreignTable) ?? '']] : []
  }))
}

function toColumn(name: string, column: DrizzleColumn, references: string | undefined): Column {
  const type = column.getSQLType()
  const isGenerated = column.generated !== undefined || column.generatedIdentity !== undefined
    || column.autoIncrement === true || /serial/i.test(type)
    || column.primary && /^integer$/i.test(type) && Object.hasOwn(column, 'autoIncrement')
  const isEnum = (column.enumValues?.length ?? 0) > 0
  const [, scale] = /,\s*(\d+)\)/.exec(type) ?? []
  return {
    name,
    kind: isEnum ? 'string' : kindOfData(column, type),
    type,
    isNullable: !column.notNull,
    isGenerated,
    default: defaultOfColumn(column),
    length: typeof column.length === 'number' ? column.length : undefined,
    scale: column.scale ?? Number(scale ?? 10),
    values: isEnum ? column.enumValues : valuesOfCheck(''),
    references,
  }
}

/** Returns the kind by the type that the program sees, which Drizzle's `mode` decides. */
function kindOfData({ dataType }: DrizzleColumn, type: string): Kind {
  const kind = kindOf(type)
  if (dataType === 'number') return kind === 'int' || kind === 'bigint' ? 'int' : 'number'
  if (dataType === 'bigint') return 'bigint'
  if (dataType === 'boolean') return 'bool'
  if (dataType === 'date') return 'date'
  if (dataType === 'json') return 'json'
  if (dataType !== 'string') return 'other'
  return kind === 'date' ? 'other' : kind
}

function defaultOfColumn({ hasDefault, default: value }: DrizzleColumn): Default {
  if (!hasDefault) return undefined
  const isLiteral = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return isLiteral ? { value } : 'expression'
}
