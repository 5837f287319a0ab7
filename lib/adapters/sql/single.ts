import { checkWhere, type Accepted, type AcceptedColumns, type AnyWhere, type Ensured, type Limit,
  type SingleWrites } from '../../crud/contract/index.js'
import { reading, undoable } from './calls.js'
import type { Catalog } from './catalog.js'
import type { ComparedColumn } from './comparable.js'
import type { Kind } from './kinds.js'
import { allOf, constant, joinPieces, sql, type Sql } from './statement.js'
import { Computed, type Describe, type Described, type Row, type SingleStatement, type SqlTable } from './table.js'

/*
 * Writes of one row by one statement of PostgreSQL. Its `returning` divides by zero unless the row, as it was stored,
 * is certain to be accepted, and the time is not up: the division undoes the statement. A table that may change more of
 * the row than the statement does is written in transactions alone, and so is a row whose values are refused: only a
 * transaction tells whether the row, its version or the values come first.
 */

/** The column of the division in the result. */
const GUARD = 'writeguard'

/** The condition of accepted columns, and the division by it; `undefined` where that cannot be told. */
interface Guard {
  readonly condition: Sql | undefined
  readonly division: Sql | undefined
}

/** Makes the single writes of a table, `undefined` where there are none: on another database, or in a transaction. */
export function singleWritesOn<Db>(table: SqlTable<Db>, describe: Describe): SingleWrites | undefined {
  const { single, dialect, isTransaction } = table
  if (single === undefined || dialect !== 'postgres' || isTransaction) return undefined
  const guards = new WeakMap<AcceptedColumns, Guard>()
  const guardOf = async ({ catalog }: Described, { columns, seconds }: Ensured): Promise<Guard> => {
    const known = guards.get(columns)
    if (known !== undefined) return known
    const reads = await readingOf(table)
    if (reads === undefined) return { condition: undefined, division: undefined }
    const condition = guardColumns(catalog, columns, reads)
    const guard = { condition, division: condition && constant(dividing(seconds / 4, condition)) }
    // A table that is yet to be created is looked at again.
    if (!catalog.isEmpty) guards.set(columns, guard)
    return guard
  }
  const write = async (
    known: Described,
    row: Row,
    ensured: Ensured,
    run: (statement: SingleStatement, extras: Readonly<Record<string, Sql>>) => Promise<readonly Row[]>,
  ): Promise<Row | undefined> => {
    const { seconds, checkTime } = ensured
    const guard = guardBy(known, ensured, await guardOf(known, ensured))
    if (guard === undefined) return undefined
    const [found] = await undoable(row, known.catalog, (sent) =>
      single((statement) => {
        if (checkTime() < seconds / 2) return Promise.resolve([])
        sent()
        return run(statement, { [GUARD]: guard })
      })) ?? []
    if (found === undefined) return undefined
    const { [GUARD]: _one, ...stored } = found
    return known.codec.read(stored)
  }
  return {
    async create(fields, ensured) {
      const known = await describe(table)
      if (known.catalog.changesOthers([])) return undefined
      const row = known.checked(fields)
      return write(known, row, ensured, (statement, extras) => statement.insert(known.codec.stored(row), extras))
    },
    async update({ key, where, changes, increments }, ensured) {
      const known = await describe(table)
      const row = checkChanges(known, changes, table.key)
      const matching = checkConditions(known, [[table.key, 'in', [key]], ...where])
      if (row === undefined || matching === undefined || !increments.every((column) => known.catalog.has(column))) {
        return undefined
      }
      const written = [...Object.keys(row), ...increments]
      if (written.length === 0 || known.catalog.changesOthers(written)) return undefined
      return write(known, row, ensured,
        (statement, extras) =>
          statement.update({ ...known.codec.stored(row), ...increase(increments) }, matching, extras))
    },
  }
}

/** Returns the columns of a change, `undefined` for values that a transaction refuses. */
function checkChanges({ checked }: Described, changes: Row, key: string): Row | undefined {
  try {
    const { [key]: _fixed, ...row } = checked(changes)
    return row
  } catch {
    return undefined
  }
}

/** Returns conditions as SQL, `undefined` for ones that a transaction refuses. */
function checkConditions({ toSql }: Described, where: AnyWhere): Sql | undefined {
  try {
    checkWhere(where)
    return toSql(where)
  } catch {
    return undefined
  }
}

/** Returns the division of a guard, with the conditions that the row must meet. */
function guardBy(known: Described, { where, seconds }: Ensured, { condition, division }: Guard): Sql | undefined {
  const more = where.length === 0 ? [] : checkConditions(known, where)
  if (condition === undefined || more === undefined) return undefined
  return more.length === 0 ? division : dividing(seconds / 4, [...condition, ' and ', ...more])
}

function increase(columns: readonly string[]): Readonly<Record<string, Computed>> {
  return Object.fromEntries(columns.map((column) => [column, new Computed(sql`coalesce(${{ column }}, 0) + 1`)]))
}

/** Returns the division, by one if a condition holds and the statement was not kept waiting so long, as for a lock. */
function dividing(seconds: number, condition: Sql): Sql {
  const inTime = `extract(epoch from clock_timestamp() - statement_timestamp()) < ${seconds.toFixed(3)}`
  return [`1 / case when ${inTime} and `, ...condition, ' then 1 else 0 end']
}

/**
 * Returns the condition that the columns of a row have accepted values, and that the row can be read at all;
 * `undefined` where that cannot be told.
 */
function guardColumns(catalog: Catalog, accepted: AcceptedColumns, reads: Reading): Sql | undefined {
  const all: Record<string, Accepted> = { ...accepted }
  for (const [column, type] of Object.entries(catalog.types)) {
    const { type: own = 'any', limits = [], isNullable = true } = all[column] ?? {}
    if (type === 'integer') all[column] = { type: 'number', isNullable, limits: [...limits, { is: 'integer' }] }
    if (type === 'calendarDate' && own === 'any') all[column] = { type: 'calendarDate', isNullable, limits }
  }
  const conditions = Object.entries(all).map(([column, values]) => guardColumn(catalog, column, values, reads))
  return conditions.every((condition) => condition !== undefined) ? allOf(conditions.flat()) : undefined
}

/** The kinds of columns whose values a driver reads as each type. */
const KINDS: Readonly<Record<Exclude<Accepted['type'], 'any'>, readonly Kind[]>> = {
  string: ['string', 'uuid', 'enum', 'calendarDate'],
  number: ['number', 'integer'],
  boolean: ['boolean'],
  date: ['date'],
  calendarDate: ['calendarDate'],
}

/** Returns the conditions that a column has accepted values, `undefined` where that cannot be told. */
function guardColumn(catalog: Catalog, name: string, accepted: Accepted, reads: Reading): readonly Sql[] | undefined {
  const { type, isNullable } = accepted
  const found = catalog.find(name)
  if (found === undefined || type === 'any') return found && []
  if (!KINDS[type].includes(found.kind) || !reads[type]) return undefined
  const column = { column: name }
  return withNull(column, heldBy(column, type, accepted.limits, found), catalog.isNullable(name), isNullable)
}

/** Adds to conditions that a column is null, or is not. */
function withNull(column: Column, held: readonly Sql[], mayBeNull: boolean, isAccepted: boolean): readonly Sql[] {
  if (held.length === 0) return mayBeNull && !isAccepted ? [sql`${column} is not null`] : []
  return [mayBeNull && isAccepted ? sql`(${column} is null or ${allOf(held)})` : allOf(held)]
}

function heldBy(
  column: Column,
  type: keyof typeof KINDS,
  limits: readonly Limit[],
  { isSmall = false }: ComparedColumn,
): readonly Sql[] {
  const limiting = isSmall ? limits.filter(({ is }) => is !== 'integer') : limits
  return [...isSmall ? [] : RANGES[type](column), ...limiting.map((limit) => limitLength(column, limit))]
}

interface Column {
  readonly column: string
}

/** The values of a column that a driver reads as ones of JavaScript's: PostgreSQL also has NaN and infinite times. */
const RANGES: Readonly<Record<keyof typeof KINDS, (column: Column) => readonly Sql[]>> = {
  string: () => [],
  number: (column) => [sql`${column} between -1e300 and 1e300`],
  boolean: () => [],
  date: (column) => [sql`${column} between '0001-01-01' and '9999-12-31'`],
  calendarDate: (column) => [sql`${column} between '0001-01-01' and '9999-12-31'`],
}

/** `concat` makes the text that the driver reads; a cast takes trailing spaces from a `char(10)`. */
function limitLength(column: Column, limit: Limit): Sql {
  const text = sql`concat(${column})`
  switch (limit.is) {
    case 'integer':
      return sql`floor(${column}) = ${column} and ${column} between -9007199254740991 and 9007199254740991`
    case 'minLength':
      return sql`char_length(${text}) >= ${whole(limit.value)}`
    case 'maxLength':
      // JavaScript counts UTF-16: at most as much as the bytes of UTF-8, and as twice the characters.
      return sql`(octet_length(${text}) <= ${whole(limit.value)} or char_length(${text}) * 2 <= ${whole(limit.value)})`
    case 'oneOf':
      return sql`${text} collate "C" in (${joinPieces(limit.values.map((value) => sql`${{ value }}`), ', ')})`
    case 'email':
    case 'uuid':
      return sql`${text} collate "C" ~ ${{ value: PATTERNS[limit.is] }}`
    default:
      return [{ column: column.column }, ` ${limit.is} `, ...sql`cast(${{ value: String(limit.value) }} as numeric)`]
  }
}

function whole(value: number): Sql {
  return sql`cast(${{ value }} as integer)`
}

/** Each matches a part of what zod's pattern matches. */
const PATTERNS = {
  email: '^[A-Za-z0-9_+-]+([.][A-Za-z0-9_+-]+)*@([A-Za-z0-9][A-Za-z0-9-]*[.])+[A-Za-z]{2,}$',
  uuid: '^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
} as const

/** The types whose values the driver reads as values of JavaScript's; an application may have set other parsers. */
type Reading = Readonly<Record<Accepted['type'], boolean>>

const readings = new WeakMap<object, Promise<Reading>>()

async function readingOf<Db>(table: SqlTable<Db>): Promise<Reading | undefined> {
  const known = readings.get(table.identity) ?? reading(false, () => askReading(table))
  readings.set(table.identity, known)
  try {
    return await known
  } catch {
    // A transaction reports what is wrong.
    readings.delete(table.identity)
    return undefined
  }
}

async function askReading<Db>({ query }: SqlTable<Db>): Promise<Reading> {
  const [row = {}] = await query(sql`select 1::int2 as n1, 1::int4 as n2, 1::float4 as n3, 1::float8 as n4,
    'a'::text as s1, 'a'::varchar as s2, 'a'::bpchar as s3,
    '00000000-0000-4000-8000-000000000000'::uuid as s4, true as b1,
    current_timestamp as d1, localtimestamp as d2`)
  const all = (initial: string, fits: (value: unknown) => boolean): boolean =>
    Object.entries(row).every(([name, value]) => !name.startsWith(initial) || fits(value))
  return {
    any: true,
    string: all('s', (value) => typeof value === 'string'),
    number: all('n', (value) => value === 1),
    boolean: all('b', (value) => value === true),
    date: all('d', (value) => value instanceof Date),
    calendarDate: true, // by the codec
  }
}
