/*
 * What the store uses of kysely 0.28 to build expressions, by structure: of kysely itself only types are imported anywhere.
 */

/** An opaque part of a statement. */
export interface Expression {
  toOperationNode(): unknown
}

export interface ExpressionBuilder {
  (column: string, operator: string, value: unknown): Expression
  and(expressions: readonly Expression[]): Expression
  or(expressions: readonly Expression[]): Expression
  ref(column: string): Expression
  val(value: unknown): Expression
  cast(expression: Expression, type: string): Expression
}

/** Expressions between pieces of SQL of our own. */
export function rawOf(sqlFragments: readonly string[], ...parameters: readonly Expression[]): Expression {
  return { toOperationNode: () => ({ kind: 'RawNode', sqlFragments, parameters: parameters.map((part) => part.toOperationNode()) }) }
}
