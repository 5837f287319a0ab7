import { mapValues } from '../../core/index.js'
import type { Sql } from '../sql/statement.js'
import { Computed, type Row } from '../sql/table.js'
import type { Compilable, Compiled, Database } from './library.js'

/*
 * A statement is built and compiled once for each text of it; later ones have the same text and other values. Without
 * this a store would need about twice the processor time of a query that is written by hand.
 */

/** A statement without its text: all values are in its row, its pieces and its numbers. */
export interface Parts {
  /** Names the kind of statement, with everything that makes its text besides the parts. */
  readonly kind: string
  readonly row?: Row
  readonly pieces: readonly Sql[]
  readonly numbers?: readonly (number | Slot | undefined)[]
}

/** The place of a value in a compiled statement. */
class Slot {
  readonly index: number

  constructor(index: number) {
    this.index = index
  }
}

/** Compiled statements with slots for their values; `null` for one whose values cannot be replaced. */
export type Statements = Map<string, Compiled | null>

/** The most texts that are kept: a filter by a list has one for each length. */
const MOST_STATEMENTS = 500

/** Compiles a statement, or takes the one that was compiled of the same parts with other values. */
export function compileOnce(
  db: Database,
  statements: Statements,
  parts: Parts,
  build: (parts: Parts) => Compilable,
): Compiled {
  const values: unknown[] = []
  // A plugin may change a statement in any way, each time.
  const key = db.getExecutor().plugins.length > 0 ? undefined : keyOf(parts, values)
  if (key === undefined) return build(parts).compile()
  let cached = statements.get(key)
  if (cached === undefined) {
    cached = withSlots(build(replaceBySlots(parts)).compile(), values.length)
    if (statements.size >= MOST_STATEMENTS) statements.clear()
    statements.set(key, cached)
  }
  if (cached === null) return build(parts).compile()
  const parameters = cached.parameters.map((value) => (value instanceof Slot ? values[value.index] : value))
  return { ...cached, parameters }
}

/**
 * Returns a text that is the same for statements with the same text, and adds their values to a list; `undefined` for a
 * statement with parts of Kysely's own.
 */
function keyOf({ kind, row = {}, pieces, numbers = [] }: Parts, values: unknown[]): string | undefined {
  const keys = [kind, keyOfRow(row, values), ...pieces.map((piece) => keyOfPiece(piece, values))]
  for (const number of numbers) {
    keys.push(number === undefined ? '-' : '?')
    if (number !== undefined) values.push(number)
  }
  return keys.includes(undefined) ? undefined : keys.join('\0;')
}

function keyOfRow(row: Row, values: unknown[]): string | undefined {
  let key = ''
  for (const column in row) {
    const value = row[column]
    key += `\0${column}`
    if (value instanceof Computed) key += JSON.stringify(value.sql)
    else if (isBuilt(value)) return undefined
    else values.push(value)
  }
  return key
}

function keyOfPiece(piece: Sql, values: unknown[]): string | undefined {
  let key = ''
  for (const part of piece) {
    if (typeof part === 'string') key += part
    else if ('column' in part) key += `\0${part.column}\0`
    else if ('raw' in part) return undefined
    else {
      key += '\0?'
      values.push(part.value)
    }
  }
  return key
}

/** True for a function or a Kysely expression in place of a value. */
export function isBuilt(value: unknown): boolean {
  return typeof value === 'function' || (typeof value === 'object' && value !== null && 'toOperationNode' in value)
}

/** Replaces the values of a statement by slots, in the order of {@link keyOf}. */
function replaceBySlots({ kind, row, pieces, numbers = [] }: Parts): Parts {
  let next = 0
  const slot = (): Slot => new Slot(next++)
  return {
    kind,
    ...(row && { row: mapValues(row, (value) => (value instanceof Computed ? value : slot())) }),
    pieces: pieces.map((piece) =>
      piece.map((part) => (typeof part === 'object' && 'value' in part ? { value: slot() } : part))
    ),
    numbers: numbers.map((number) => (number === undefined ? undefined : slot())),
  }
}

/** Returns a compiled statement if it has a slot for each value: a dialect could write a value into the text. */
function withSlots(compiled: Compiled, values: number): Compiled | null {
  const slots = new Set(compiled.parameters.filter((value) => value instanceof Slot).map(({ index }) => index))
  return slots.size === values ? compiled : null
}
