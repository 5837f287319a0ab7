import { isRequired, isUnique, property, quote } from './fields.js'
import type { Column, Limits, Table } from './table.js'

/** Writes a body with the fields that a create needs; `others` are the fields of references. */
export function bodyOf(table: Table, others: Readonly<Record<string, string>> = {}): string {
  const fields = table.columns.filter((column) => isSent(column, table)).map((column) => (
    `${property(column.name)}: ${others[column.name] ?? sampleOf(column, isUnique(table, column))}`
  ))
  return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}'
}

/** True for a field of the body: it is required, or its default could be taken. */
function isSent(column: Column, table: Table): boolean {
  return isRequired(column) || (typeof column.default === 'object' && isUnique(table, column))
}

/** True if a create can be repeated only with another value. */
export function isTakenTwice(table: Table): boolean {
  return table.columns.some((column) =>
    isSent(column, table) && isUnique(table, column) && (column.values ?? column.allowed) === undefined
    && column.kind !== 'bool'
  )
}

/** Writes a value that a column accepts, another one each time where it is unique. */
function sampleOf(column: Column, isDifferent: boolean): string {
  const values = column.values ?? column.allowed
  if (column.isList) return '[]'
  return values === undefined ? SAMPLES[column.kind](column, isDifferent) : quote(values[0] ?? '')
}

const SAMPLES: Readonly<Record<Column['kind'], (column: Column, isDifferent: boolean) => string>> = {
  string: stringOf,
  int: integerOf,
  bigint: integerOf,
  decimal: ({ bounds }) => quote(numberIn(bounds)),
  number: ({ bounds }) => numberIn(bounds),
  text: textOf,
  uuid: () => 'randomUUID()',
  bool: () => 'true',
  date: (_column, isDifferent) => (isDifferent ? 'new Date(randomInt(2 ** 40))' : "'2026-01-02T03:04:05.000Z'"),
  calendarDate: () => "'2026-01-02'",
  json: () => "{ note: 'sample' }",
  other: () => 'null',
}

function textOf({ type }: Column): string {
  if (/^(?:inet|cidr)/i.test(type)) return "'192.0.2.1'"
  if (/^macaddr/i.test(type)) return "'08:00:2b:01:02:03'"
  if (/^xml/i.test(type)) return "'<note/>'"
  if (/^money/i.test(type)) return "'1.00'"
  return /^time(?:\(|$| )/i.test(type) ? "'12:34:56'" : "'2026-01-02 03:04:05'"
}

function stringOf({ name, length: { min = 0, max } }: Column, isDifferent: boolean): string {
  if (isDifferent) {
    const most = Math.min(max ?? 36, 36)
    const part = most < 36 ? `randomUUID().slice(-${most})` : 'randomUUID()'
    return min > most ? `${part}.padEnd(${min}, 'x')` : part
  }
  const text = /mail/i.test(name) && (max ?? 99) >= 16 ? 'ann@example.test' : 'Sample'
  return quote(text.slice(0, max).padEnd(min, 'x'))
}

const MOST: readonly (readonly [pattern: RegExp, most: number])[] = [
  [/^tinyint/i, 127],
  [/^(?:smallint|int2|year)/i, 32_767],
  [/^mediumint/i, 8_388_607],
]

function integerOf({ type, bounds: { min, max } }: Column, isDifferent: boolean): string {
  const most = Math.min(max ?? Infinity, MOST.find(([pattern]) => pattern.test(type))?.[1] ?? 2 ** 31 - 1)
  if (/^year/i.test(type)) return '2026'
  const least = Math.min(Math.max(min ?? 1, 1), most)
  return isDifferent && least < most
    ? `randomInt(${least}, ${most})`
    : String(min !== undefined && min > 1 ? least : Math.min(1, most))
}

function numberIn({ min, max }: Limits): string {
  const least = min ?? 0
  return String(max === undefined ? least + 1 : least + (max - least) / 2)
}

/** Writes the key of a row that does not exist. */
export function missingKey({ kind, type, length: { max } }: Column): string {
  if (kind === 'uuid') return 'randomUUID()'
  if (kind === 'string' || kind === 'text')
    return (max ?? 36) < 36
      ? `randomUUID().slice(-${max ?? 36})`
      : 'randomUUID()'
  return String(MOST.find(([pattern]) => pattern.test(type))?.[1] ?? 2_147_483_000)
}
