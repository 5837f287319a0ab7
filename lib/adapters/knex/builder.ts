import { MisuseError } from '../../core/index.js'
import { writePiece, type Sql } from '../sql/statement.js'
import type { Row } from '../sql/table.js'

/*
 * The part of knex 3 that the source and the store use, as structural types: nothing of it is imported, so that it is
 * an optional package.
 */

export interface Builder extends PromiseLike<Record<string, unknown>[]> {
  readonly client: {
    readonly dialect?: string
    queryBuilder(): Builder
    raw(sql: string, bindings: readonly unknown[]): unknown
  }
  readonly _method: string
  readonly _single: { readonly limit?: unknown; readonly offset?: unknown; readonly lock?: unknown }
  readonly _statements: Statement[]
  clone(): Builder
  toSQL(): { readonly sql: string }
  as(alias: string): Builder
  from(source: Builder): Builder
  select(...columns: unknown[]): Builder
  count(column: string): Builder
  where(group: (builder: Builder) => void): Builder
  whereRaw(condition: unknown): Builder
  orderBy(column: string, direction: 'asc' | 'desc'): Builder
  orderByRaw(order: unknown): Builder
  limit(limit: number): Builder
  offset(offset: number): Builder
  clearSelect(): Builder
  clearWhere(): Builder
  clearOrder(): Builder
  forUpdate(): Builder
  forShare(): Builder
  insert(rows: Row | readonly Row[]): PromiseLike<readonly unknown[]> & Writing
  update(changes: Row): PromiseLike<unknown> & Writing
  delete(): PromiseLike<unknown>
}

/** A write, which resolves to a number or to keys unless it returns rows. */
interface Writing {
  returning(columns: '*'): Builder
}

/** A part of a query, as plain data. */
export interface Statement {
  readonly grouping: string
  readonly type?: unknown
  readonly value?: unknown
  readonly distinct?: unknown
  readonly distinctOn?: unknown
}

/** Makes a raw Knex statement: names, values and conditions of Knex are its bindings. */
export function toRaw<Raw>(
  client: { raw(sql: string, bindings: readonly unknown[]): Raw },
  piece: Sql,
  nameOf: (column: string) => string = String,
): Raw {
  const bindings: unknown[] = []
  const bind = (mark: string, value: unknown): string => {
    bindings.push(value)
    return mark
  }
  const texts = writePiece(piece, {
    text: String,
    column: (column) => bind('??', nameOf(column)),
    value: (value) => bind('?', value),
    raw: (raw) => (isQuery(raw) ? bind('exists ?', raw) : bind('?', checkRaw(raw))),
  })
  return client.raw(texts.join(''), bindings)
}

function isQuery(raw: unknown): boolean {
  return typeof raw === 'object' && raw !== null && '_statements' in raw && '_method' in raw && raw._method === 'select'
}

/** @throws MisuseError `store_raw` for a value that is not a condition of Knex. */
function checkRaw(raw: unknown): object {
  if (typeof raw === 'object' && raw !== null && 'isRawInstance' in raw && raw.isRawInstance === true) return raw
  throw new MisuseError(
    'store_raw',
    'A raw condition of a knexStore is knex.raw(…), or a query of which a row must exist.',
  )
}
