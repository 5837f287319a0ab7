/*
 * The part of kysely 0.28 that the source uses, as structural types: nothing of it is imported, so that it is
 * an optional package.
 */

export interface Builder {
  execute(): Promise<Record<string, unknown>[]>
  select(build: (eb: ExpressionBuilder) => readonly unknown[]): Builder
  where(build: (eb: ExpressionBuilder) => Expression): Builder
  orderBy(column: string, direction: 'asc' | 'desc'): Builder
  orderBy(build: (eb: ExpressionBuilder) => Expression): Builder
  clearOrderBy(): Builder
  limit(limit: number): Builder
  offset(offset: number): Builder
  withPlugin(plugin: Plugin): Builder
  toOperationNode(): QueryNode
  compile(): { readonly sql: string }
}

export interface ExpressionBuilder {
  ref(column: string): Expression
  val(value: unknown): Expression
}

/** An opaque part of a condition. */
export interface Expression {
  toOperationNode(): unknown
}

export interface Plugin {
  transformQuery(query: { readonly node: QueryNode }): QueryNode
  transformResult<Result>(executed: { readonly result: Result }): Promise<Result>
}

/** A query as plain data. */
export interface QueryNode {
  readonly kind: string
  readonly from?: unknown
  readonly selections?: readonly { readonly selection: Node }[]
  readonly limit?: unknown
  readonly offset?: unknown
  readonly orderBy?: unknown
  readonly groupBy?: unknown
  readonly having?: unknown
  readonly distinctOn?: unknown
  readonly setOperations?: unknown
  readonly frontModifiers?: unknown
  readonly endModifiers?: unknown
}

export interface Node {
  readonly kind: string
  readonly node?: Node
  /** The name of an alias. */
  readonly alias?: { readonly name?: string }
  /** The column of a reference, whose own column is its name. */
  readonly column?: { readonly column?: { readonly name?: string } }
}
