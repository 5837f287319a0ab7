import { writePiece, type Sql } from '../sql/statement.js'

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
  select(column: unknown): Builder
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
}

/** A part of a query, as plain data. */
export interface Statement {
  readonly grouping: string
  readonly type?: unknown
  readonly value?: unknown
  readonly distinct?: unknown
  readonly distinctOn?: unknown
}

/** The mark of a binding in a raw statement, and its value. */
export type Binding = readonly [mark: '?' | '??' | 'exists ?', value: unknown]

/** Makes a raw Knex statement: names and values are its bindings. */
export function toRaw<Raw>(
  client: { raw(sql: string, bindings: readonly unknown[]): Raw },
  piece: Sql,
  nameOf: (column: string) => string,
  toBinding: (raw: unknown) => Binding = (raw) => ['?', raw],
): Raw {
  const bindings: unknown[] = []
  const bind = ([mark, value]: Binding): string => {
    bindings.push(value)
    return mark
  }
  const texts = writePiece(piece, {
    text: String,
    column: (column) => bind(['??', nameOf(column)]),
    value: (value) => bind(['?', value]),
    raw: (raw) => bind(toBinding(raw)),
  })
  return client.raw(texts.join(''), bindings)
}
