import type { ComparedColumn } from './comparable.js'
import type { DatabaseColumn, Dialect, Kind } from './kinds.js'

/** One fact about a table, as the statements of `catalog-questions.ts` select it. */
export interface Line {
  /**
   * The kind of fact:
   *
   * - `column`: a column and its type; `digits`: those of a decimal; `label`: one of an enum
   * - `required`, `unique`, `nondeterministic`: a column that is NOT NULL, unique, or has such a collation
   * - `default`: a column and the expression of its default, in PostgreSQL
   * - `constraint`: a constraint or a unique index, and a column or an expression of it
   * - `table`: the plain table that errors name, in SQLite with the text that created it
   * - `changes`: a column whose writes may change others, without a name any write; `later` after the row was returned
   * - `json`: a JSON string as the driver of MySQL reads it; `version`: that of the database
   */
  readonly part?: unknown
  readonly name?: unknown
  readonly value?: unknown
}

/** True for a version such as `10.11.6-MariaDB-1`. */
export function isMariadb105(version: unknown): boolean {
  const [, major, minor] = /(\d+)\.(\d+)\.\d+-mariadb/i.exec(String(version)) ?? []
  return Number(major) * 100 + Number(minor) >= 1005
}

export function describeColumns(lines: readonly Line[]): Map<string, DatabaseColumn> {
  const columns = new Map(
    lines.filter(({ part }) => part === 'column').map((
      { name, value },
    ): [string, DatabaseColumn] => [String(name), { type: String(value), scale: scaleOf(value) }]),
  )
  for (const { part, name, value } of lines) {
    const { type, labels = [] } = columns.get(String(name)) ?? {}
    if (part === 'digits' && type !== undefined) columns.set(String(name), { type, scale: scaleOf(value) })
    if (part === 'label' && type !== undefined) columns.set(String(name), { type, labels: [...labels, String(value)] })
    if (part === 'nondeterministic' && type !== undefined) columns.set(String(name), { type, isNondeterministic: true })
  }
  return columns
}

/** Returns the digits after the point of a type such as `decimal(10,2)`. */
function scaleOf(type: unknown): number | undefined {
  const [, scale] = /^decimal\(\d+,(-?\d+)\)/i.exec(String(type)) ?? []
  return scale === undefined ? undefined : Number(scale)
}

/** The types of columns of whole numbers. */
const WHOLE: Readonly<Record<Dialect, RegExp>> = {
  postgres: /^int[248]$/,
  mysql: /^(?:(?:tiny|small|medium|big)?int|year)\b/,
  sqlite: /^(?:(?:UNSIGNED )?(?:TINY|SMALL|MEDIUM|BIG)? ?INT|INTEGER|INT[248])\b/,
}

function isWhole(kind: Kind, type: string, dialect: Dialect): boolean {
  if (kind === 'integer' || kind === 'bigint') return true
  if (dialect !== 'sqlite') return WHOLE[dialect].test(type.toLowerCase())
  // SQLite keeps a fraction, which `columns` may expect.
  return kind !== 'number' && WHOLE.sqlite.test(type.toUpperCase())
}

/** Describes how a column of this kind is compared; `isLoose` where columns of strings have collations of their own. */
export function compareAs(kind: Kind, column: DatabaseColumn, dialect: Dialect, isLoose: boolean): ComparedColumn {
  const { type, labels, scale, isNondeterministic = false } = column
  return {
    kind,
    labels,
    scale,
    isWhole: isWhole(kind, type, dialect),
    isCollated: kind === 'string' && (isLoose || isNondeterministic || type === 'citext'),
    isNondeterministic,
    isPadded: type === 'bpchar',
    hasText: kind === 'enum' || kind === 'uuid',
    isRanked: dialect === 'mysql' && /^(?:enum|set)\b/i.test(type),
    isFloat: dialect !== 'sqlite' && /^float4?\b/i.test(type),
    isSmall: /^int[24]$/.test(type),
    isExact: labels !== undefined || /^(?:int[248]|float8|bool|text|varchar|uuid|date)$/.test(type),
  }
}

/** True for a column that an expression of SQL names, outside of its strings. */
export function isNamedIn(column: string, expression: string): boolean {
  const words = expression.replace(/'(?:[^']|'')*'/g, '').matchAll(/[\p{L}_][\p{L}\p{N}_$]*/gu)
  return [...words].some(([word]) => word === column)
}

/** Finds the expression of a CHECK by its name in the text that created a table of SQLite. */
export function namedCheck(created: string, name: string): string | undefined {
  const start = new RegExp(`constraint\\s+["'\`[]?${name.replace(/[^\w ]/g, '\\$&')}["'\`\\]]?\\s+check\\s*\\(`, 'i')
    .exec(created)
  if (start === null) return undefined
  const rest = created.slice(start.index + start[0].length)
  let depth = 1
  for (const { 0: parenthesis, index } of rest.matchAll(/[()]/g)) {
    depth += parenthesis === '(' ? 1 : -1
    if (depth === 0) return rest.slice(0, index)
  }
  return rest
}

/** The largest value of a sequence that counts up an `int`. */
const LAST = 2 ** 31 - 1

/** The defaults that are known, as PostgreSQL writes them. */
const READERS: readonly (readonly [pattern: RegExp, values: (text: string) => readonly unknown[]])[] = [
  [/^'((?:[^']|'')*)'(?:::[\w ."()]+)?$/, (text) => [text.replaceAll("''", "'")]],
  [/^(\d+(?:\.\d+)?)$/, (text) => [Number(text)]],
  [/^(true|false)$/, (text) => [text === 'true']],
  [/^NULL(?:::[\w ."()]+)?$/, () => [null]],
  [/^nextval\(/, () => [1, LAST]],
  [/^(?:now\(\)|(?:CURRENT_TIMESTAMP|LOCALTIMESTAMP)(?:\(\d\))?)$/, () => [new Date()]],
  [/^CURRENT_DATE$/, () => ['2000-01-01']],
  [/^gen_random_uuid\(\)$/, () => ['00000000-0000-4000-8000-000000000000']],
]

/**
 * Returns the values of a column by the expression of its default in PostgreSQL, or some that stand for all of them;
 * `undefined` for any other expression.
 */
export function valuesOfDefault(expression: string): readonly unknown[] | undefined {
  for (const [pattern, values] of READERS) {
    const [whole, text = ''] = pattern.exec(expression) ?? []
    if (whole !== undefined) return values(text)
  }
  return undefined
}
