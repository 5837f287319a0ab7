import type { Dialect } from '../../adapters/sql/kinds.js'
import type { Sql } from '../../adapters/sql/statement.js'
import { checksIn, rulesOf, type Rule } from './checks.js'
import { checksQuestion, describeQuestion, tablesQuestion } from './questions.js'
import { defaultOf, kindOf, type Column, type Table, type TableName } from './table.js'

/** A table on a connection, by the means of a library. */
export interface Reader {
  readonly dialect: Dialect
  readonly place: TableName
  /** Names the columns of the database as a row has them; one that is missing is not in the row. */
  readonly fields: (columns: readonly string[]) => ReadonlyMap<string, string> | Promise<ReadonlyMap<string, string>>
  readonly query: (statement: Sql) => Promise<readonly Readonly<Record<string, unknown>>[]>
  /** Changes a column into what the library makes of it. */
  readonly refine?: (column: Column) => Column
}

interface ColumnLine {
  readonly at: number
  readonly type: string
  readonly isRequired: boolean | number
  readonly isGenerated?: boolean | number
  readonly default: string | null
  readonly labels?: readonly string[] | null
  /** Of MySQL. */
  readonly extra?: string
}

interface ConstraintLine {
  readonly kind: 'p' | 'u' | 'f' | 'c'
  readonly columns?: readonly string[] | null
  readonly column?: string
  readonly at?: number
  readonly schema?: string | null
  readonly table?: string | null
  readonly definition?: string
}

interface Constraint {
  readonly name: string
  readonly kind: 'p' | 'u' | 'f' | 'c'
  readonly columns: readonly string[]
  readonly target: TableName | undefined
  readonly definition: string
}

interface Line {
  readonly part: string
  readonly name: string
  readonly value: string
}

/** Reads a table from the catalog of the database, `undefined` where there is none. */
export async function readTable(reader: Reader): Promise<Table | undefined> {
  const { dialect, place } = reader
  const lines = await linesOf(reader, describeQuestion(dialect, place))
  const columns = jsonOf<ColumnLine>(lines, 'column').sort(([, one], [, other]) => one.at - other.at)
  if (columns.length === 0) return undefined
  const version = lines.find(({ part }) => part === 'version')?.name ?? ''
  const question = checksQuestion(dialect, place, version)
  // MySQL 5.7 has no such view.
  const checks = question === undefined ? [] : await linesOf(reader, question).catch(() => [])
  const [, about] = jsonOf<{ readonly isView: boolean | number; readonly sql?: string }>(lines, 'table')[0] ?? []
  const constraints = [...constraintsOf([...lines, ...checks]), ...sqliteChecks(about?.sql)]
  return tableOf(reader, { columns, constraints, isView: Number(about?.isView ?? 0) === 1,
    isQuoted: dialect !== 'mysql' || /mariadb/i.test(version) })
}

/** Lists the tables that there are. */
export async function readTableNames(reader: Pick<Reader, 'query' | 'dialect'>): Promise<readonly string[]> {
  return (await linesOf(reader, tablesQuestion(reader.dialect))).map(({ name }) => name)
}

async function linesOf({ query }: Pick<Reader, 'query'>, question: Sql): Promise<readonly Line[]> {
  const rows = await query(question)
  return rows.map((row) => ({ part: stringOf(row.part), name: stringOf(row.name), value: stringOf(row.value) }))
}

function stringOf(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString() : typeof value === 'string' ? value : ''
}

function jsonOf<T>(lines: readonly Line[], part: string): (readonly [string, T])[] {
  return lines.filter((line) => line.part === part).map(({ name, value }) => [name, JSON.parse(value) as T] as const)
}

function constraintsOf(lines: readonly Line[]): Constraint[] {
  const byName = new Map<string, Constraint & { readonly byPlace: Map<number, string> }>()
  for (const [name, line] of jsonOf<ConstraintLine>(lines, 'constraint')) {
    const { kind, definition = '', schema, table } = line
    const id = `${kind} ${name}`
    const { byPlace } = byName.get(id) ?? { byPlace: new Map<number, string>() }
    const lineColumns = line.columns ?? (line.column === undefined ? [] : [line.column])
    lineColumns.forEach((column, index) => byPlace.set(line.at ?? index, column))
    const columns = [...byPlace].sort(([one], [other]) => one - other).map(([, column]) => column)
    const target = typeof table === 'string' ? { schema: schema ?? undefined, table } : undefined
    byName.set(id, { name, kind, columns, definition, target, byPlace })
  }
  return [...byName.values()]
}

function sqliteChecks(statement = ''): Constraint[] {
  return checksIn(statement).map((definition, index) => (
    { name: `check ${index}`, kind: 'c', columns: [], definition, target: undefined }
  ))
}

interface Facts {
  readonly columns: readonly (readonly [string, ColumnLine])[]
  readonly constraints: readonly Constraint[]
  readonly isView: boolean
  /** True if the default of a string is in quotes. */
  readonly isQuoted: boolean
}

async function tableOf(reader: Reader, facts: Facts): Promise<Table> {
  const { constraints } = facts
  const names = await reader.fields(facts.columns.map(([name]) => name))
  const nameOf = (column: string): string => names.get(column) ?? column
  const of = (kind: string): Constraint[] => constraints.filter((constraint) => constraint.kind === kind)
  const checks = of('c').map((check) => ({ ...check, rules: rulesOf(check.definition) }))
  const rules = checks.flatMap((check) => check.rules ?? [])
  const keys = of('p')[0]?.columns ?? []
  return {
    ...reader.place,
    isView: facts.isView,
    keys: keys.map(nameOf),
    columns: facts.columns.filter(([name]) => names.has(name)).map(([name, line]) => {
      const target = of('f').find(({ columns }) => columns.length === 1 && columns[0] === name)?.target
      const column = toColumn(line, { name: nameOf(name), rules: rules.filter((rule) => rule.column === name),
        dialect: reader.dialect, isOnlyKey: keys.length === 1 && keys[0] === name, isQuoted: facts.isQuoted, target })
      return reader.refine?.(column) ?? column
    }),
    uniques: new Map(of('u').map(({ name, columns }) => [name, columns.map(nameOf)])),
    checks: checks.filter((check) => check.rules === undefined).map(({ definition }) => definition),
  }
}

interface About {
  readonly name: string
  readonly rules: readonly Rule[]
  readonly dialect: Dialect
  readonly isOnlyKey: boolean
  readonly isQuoted: boolean
  readonly target: TableName | undefined
}

function toColumn(line: ColumnLine, about: About): Column {
  const { rules, dialect, isOnlyKey } = about
  const type = line.type.toLowerCase()
  const isList = dialect === 'postgres' && type.endsWith('[]')
  const values = isList ? undefined : valuesOf(line, rules)
  const kind = values === undefined ? storedKind(type.replace(/\[\]$/, ''), about) : 'string'
  const hasLength = kind === 'string' && values === undefined && !isList
  return {
    name: about.name,
    kind,
    isList,
    type: line.type,
    isNullable: !isTrue(line.isRequired),
    isGenerated: isFilled(line) || (dialect === 'sqlite' && isOnlyKey && type === 'integer'),
    default: defaultIn(line, kind, isList, about),
    ...limitsOf(type, rules, hasLength),
    scale: kind === 'decimal' ? scaleOf(type) : undefined,
    values,
    references: about.target,
  }
}

function valuesOf({ labels, type }: ColumnLine, rules: readonly Rule[]): readonly string[] | undefined {
  return labels ?? enumOf(type) ?? rules.find((rule) => rule.values)?.values
}

function sizesOf(type: string): readonly (number | undefined)[] {
  const [, size, scale] = /\((\d+)(?:,\s*(\d+))?\)/.exec(type) ?? []
  return [size, scale].map((text) => (text === undefined ? undefined : Number(text)))
}

function limitsOf(type: string, rules: readonly Rule[], hasLength: boolean): Pick<Column, 'bounds' | 'length'> {
  const isUnsigned = type.includes(' unsigned')
  const limits = rules.reduce(merge, { bounds: isUnsigned ? { min: 0 } : {}, length: {} })
  const { min, max } = limits.length
  return hasLength ? { ...limits, length: { min, max: tighter(Math.min, max, sizesOf(type)[0]) } } : limits
}

/** A numeric without a size keeps any number of digits. */
function scaleOf(type: string): number {
  const [size, scale] = sizesOf(type)
  return scale ?? (size === undefined ? 10 : 0)
}

function isTrue(value: boolean | number | undefined): boolean {
  return Number(value ?? 0) === 1
}

/** True if the database gives the value: an identity, a sequence, an auto-increment, a computed column. */
function isFilled({ isGenerated, extra = '', default: preset }: ColumnLine): boolean {
  const isComputed = /\bgenerated\b/i.test(extra) && !/default_generated/i.test(extra)
  return isTrue(isGenerated) || isComputed || /auto_increment/i.test(extra) || (preset ?? '').startsWith('nextval(')
}

/** SQLite keeps decimals as numbers of double precision. */
const SQLITE: Readonly<Partial<Record<Column['kind'], Column['kind']>>> = { decimal: 'number', bigint: 'int',
  text: 'string' }

function storedKind(type: string, { rules, dialect }: About): Column['kind'] {
  if (rules.some(({ isJson }) => isJson === true)) return 'json'
  const kind = kindOf(type)
  return (dialect === 'sqlite' ? SQLITE[kind] : undefined) ?? kind
}

function defaultIn(line: ColumnLine, kind: Column['kind'], isList: boolean, { isQuoted }: About): Column['default'] {
  if (/default_generated/i.test(line.extra ?? '')) return 'expression'
  const isBare = !isQuoted && line.default !== null && (kind === 'string' || kind === 'decimal')
  return defaultOf(isBare ? `'${line.default.replaceAll("'", "''")}'` : line.default, kind, isList)
}

/** Returns the values of a type of MySQL: `enum('open','done')`. */
function enumOf(type: string): string[] | undefined {
  if (!/^enum\(/i.test(type)) return undefined
  return [...type.matchAll(/'((?:[^']|'')*)'/g)].map(([, value = '']) => value.replaceAll("''", "'"))
}

function merge(limits: Pick<Column, 'bounds' | 'length'>, { bounds, isLength = false }: Rule) {
  const field = isLength ? 'length' : 'bounds'
  const { min, max } = limits[field]
  return { ...limits, [field]: { min: tighter(Math.max, min, bounds?.min), max: tighter(Math.min, max, bounds?.max) } }
}

function tighter(choose: typeof Math.min, one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? one ?? other : choose(one, other)
}
