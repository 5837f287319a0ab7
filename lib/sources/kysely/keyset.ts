import { MisuseError } from '../../errors.js'
import { invalidCursor, type Position } from '../../paging/cursor.js'
import type { Builder, Expression, ExpressionBuilder } from './builder.js'

export interface Key {
  /** As it was written, `-posts.createdAt`. */
  readonly spelling: string
  /** As the query knows it, `posts.createdAt`. */
  readonly column: string
  /** As the row knows it, `createdAt`. */
  readonly property: string
  /** The key as text, beside the columns of the row. */
  readonly textColumn: string
  readonly descending: boolean
}

export function readKeys(by: readonly string[]): Key[] {
  return by.map((spelling, index) => {
    const descending = spelling.startsWith('-')
    const column = descending ? spelling.slice(1) : spelling
    return { spelling, column, property: column.slice(column.lastIndexOf('.') + 1), textColumn: `cursorkey${index}`, descending }
  })
}

export function orderedBy(query: Builder, keys: readonly Key[]): Builder {
  return keys.reduce((ordered, { column, descending }) => ordered.orderBy(column, descending ? 'desc' : 'asc'), query)
}

type Row = Record<string, unknown>

/** The rows behind a position; `next` is the position of the last of them, `null` where no more follow. */
export async function sliceAfter(
  query: Builder,
  keys: readonly Key[],
  position: Position | null,
  limit: number,
): Promise<{ rows: Row[]; next: Position | null }> {
  const behind = position === null ? query : query.where(isBehind(keys, valuesOf(position, keys)))
  const found = await execute(withTexts(behind, keys).limit(limit + 1), position)
  const texts = found.map((row) => takeTexts(row, keys))
  const last = found.length > limit ? texts[limit - 1] : undefined
  return { rows: found.slice(0, limit), next: last === undefined ? null : [orderOf(keys), ...last] }
}

function isBehind(keys: readonly Key[], values: Position): (eb: ExpressionBuilder) => Expression {
  return (eb) => keys.reduceRight((rest, { column, descending }, index) => {
    const beyond = eb(column, descending ? '<' : '>', values[index])
    // The bound is implied by what it stands beside; with it a database begins in the right place of an index.
    const bound = eb(column, descending ? '<=' : '>=', values[index])
    return eb.and([bound, eb.or([beyond, rest])])
  }, eb.or([]))
}

/** The keys in the database's own writing: a Date of JavaScript's has no microseconds. */
function withTexts(query: Builder, keys: readonly Key[]): Builder {
  return query.select((eb) => keys.map(({ column, textColumn }) => eb.fn('concat', [column]).as(textColumn)))
}

/** Takes these texts out of the row again. */
function takeTexts(row: Row, keys: readonly Key[]): unknown[] {
  return keys.map(({ property, textColumn }) => {
    const text = row[textColumn]
    delete row[textColumn]
    if (typeof text !== 'string' || row[property] === null || row[property] === undefined) {
      throw new MisuseError('kysely_key', `A cursor cannot be made of "${property}": it must be selected, never null, and not binary.`)
    }
    return text
  })
}

function orderOf(keys: readonly Key[]): string {
  return keys.map(({ spelling }) => spelling).join()
}

function valuesOf([order, ...values]: Position, keys: readonly Key[]): Position {
  if (order !== orderOf(keys) || values.length !== keys.length || !values.every((value) => typeof value === 'string')) throw invalidCursor()
  return values
}

async function execute(query: Builder, position: Position | null): Promise<Row[]> {
  try {
    return await query.execute()
  } catch (error) {
    if (position !== null && UNREADABLE.has((error as { code?: unknown }).code)) throw invalidCursor()
    throw error
  }
}

/** What a database says to a text that is no value of the column's type: SQLSTATEs of PostgreSQL, names of MySQL. */
const UNREADABLE = new Set<unknown>(['22P02', '22007', '22008', '22003', '22021', 'ER_WRONG_VALUE', 'ER_CANT_AGGREGATE_2COLLATIONS'])
