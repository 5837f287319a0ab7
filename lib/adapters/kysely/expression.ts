import { MisuseError } from '../../core/index.js'
import { isCallable } from '../../crud/contract/index.js'
import { writePiece, type Sql } from '../sql/statement.js'
import type { Build, Expression, ExpressionBuilder } from './library.js'

/** Selected columns as expressions, by their names in a row. */
export type Selected = ReadonlyMap<string, Expression>

/** Makes a Kysely expression: text between columns, as they are selected, and bound values. */
export function expression(eb: ExpressionBuilder, piece: Sql, selected?: Selected): Expression {
  const fragments: string[] = []
  const parameters: unknown[] = []
  let text = ''
  const add = (part: Expression): void => {
    parameters.push(part.toOperationNode())
    fragments.push(text)
    text = ''
  }
  writePiece(piece, {
    text: (more) => void (text += more),
    column: (column) => add(selected?.get(column) ?? eb.ref(column)),
    value: (value) => add(eb.val(value)),
    raw: (raw) => add(rawExpression(eb, raw)),
  })
  const node = { kind: 'RawNode', sqlFragments: [...fragments, text], parameters }
  return { toOperationNode: () => node }
}

/** Selects expressions under names of their own. */
export function extra(names: readonly string[], pieces: readonly Sql[], selected?: Selected): Build<Expression[]> {
  return (eb) => names.map((name, index) => aliasOf(expression(eb, pieces[index] ?? [], selected), name))
}

export function aliasOf(of: Expression, name: string): Expression {
  const node = of.toOperationNode()
  return { toOperationNode: () => ({ kind: 'AliasNode', node, alias: { kind: 'IdentifierNode', name } }) }
}

/** Takes a Kysely expression or a function of its expression builder. */
function rawExpression(eb: ExpressionBuilder, raw: unknown): Expression {
  const made: unknown = isCallable(raw) ? raw(eb) : raw
  if (isExpression(made)) return made
  throw new MisuseError(
    'store_raw',
    'A raw condition of a kyselyStore is an expression, as in raw(sql`…`), or a function of an expression builder that '
      + 'returns one.',
  )
}

function isExpression(value: unknown): value is Expression {
  return (typeof value === 'object' || typeof value === 'function') && value !== null && 'toOperationNode' in value
    && typeof value.toOperationNode === 'function'
}
