import type { CursorPage, PageSource } from 'resourcery'
import { paginate } from 'resourcery'

export interface Row {
  readonly id: number
  readonly title: string
  readonly score: number | null
}

export const ROWS: readonly Row[] = Array.from({ length: 11 }, (_, index) => (
  { id: index, title: `t${index % 3}`, score: index % 2 === 0 ? null : index }
))

type Condition = Readonly<Record<string | symbol, unknown>>

/** The format of a condition in a library. */
export interface Words {
  readonly and: string | symbol
  readonly or: string | symbol
  readonly lt: string | symbol
  readonly gt: string | symbol
  readonly lte?: string | symbol
  readonly gte?: string | symbol
}

interface Selection {
  readonly where?: object | undefined
  readonly order?: readonly (readonly [column: string, direction: 1 | -1])[]
  readonly offset?: number | undefined
  readonly limit?: number | undefined
}

/** Returns the rows that a database would return. */
export function select({ where = {}, order = [], offset = 0, limit = Infinity }: Selection, words: Words): Row[] {
  return ROWS.filter((row) => holds(row, where as Condition, words)).sort((a, b) => {
    const signs = order.map(([column, direction]) => direction * compare(of(a, column), of(b, column)))
    return signs.find((sign) => sign !== 0) ?? 0
  }).slice(offset, offset + limit)
}

function holds(row: Row, condition: Condition, words: Words): boolean {
  return Reflect.ownKeys(condition).every((name) => {
    const wanted = condition[name]
    if (name === words.and) return (wanted as Condition[]).every((part) => holds(row, part, words))
    if (name === words.or) return (wanted as Condition[]).some((part) => holds(row, part, words))
    const bounds = (typeof wanted === 'object' ? wanted : {}) as Condition
    if (words.lt in bounds) return compare(of(row, name), bounds[words.lt]) < 0
    if (words.gt in bounds) return compare(of(row, name), bounds[words.gt]) > 0
    if (words.lte !== undefined && words.lte in bounds) return compare(of(row, name), bounds[words.lte]) <= 0
    if (words.gte !== undefined && words.gte in bounds) return compare(of(row, name), bounds[words.gte]) >= 0
    return compare(of(row, name), wanted) === 0
  })
}

function of(row: Row, column: string | symbol): unknown {
  return (row as unknown as Condition)[column]
}

function compare(a: unknown, b: unknown): number {
  return a === b ? 0 : (a as number) < (b as number) ? -1 : 1
}

/** Returns the ids on all pages. */
export async function walk(source: PageSource<{ readonly id: unknown }>, limit: number): Promise<unknown[]> {
  const seen: unknown[] = []
  let cursor: string | null = ''
  do {
    const page: CursorPage<{ readonly id: unknown }> = await paginate(source, { cursor, limit })
    seen.push(...page.items.map(({ id }) => id))
    cursor = page.next
  } while (cursor !== null)
  return seen
}

export const NEWEST_FIRST = [2, 5, 8, 1, 4, 7, 10, 0, 3, 6, 9]
