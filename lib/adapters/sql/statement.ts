import type { Dialect } from './kinds.js'

/** A part of a statement: a column by its name in a row, a value to bind, or a condition of the library's own. */
export type Part = { readonly column: string } | { readonly value: unknown } | { readonly raw: unknown }

/**
 * A piece of SQL, made by {@link sql}. Each library writes it in its own way: the name of a column is quoted and a
 * value is bound, and neither is ever text of the statement.
 */
export type Sql = readonly (string | Part)[]

/** Makes a piece of SQL from text and the parts between it. */
export function sql(texts: readonly string[], ...parts: readonly (Part | Sql)[]): Sql {
  const piece: (string | Part)[] = []
  texts.forEach((text, index) => {
    if (text !== '') piece.push(text)
    const part = parts[index]
    if (isPiece(part)) addTo(piece, part)
    else if (part !== undefined) piece.push(part)
  })
  return piece
}

/** Adds parts one by one: a call with all of them fails where there are too many. */
function addTo(piece: (string | Part)[], parts: Sql): void {
  for (const part of parts) piece.push(part)
}

function isPiece(part: Part | Sql | undefined): part is Sql {
  return Array.isArray(part)
}

export function joinPieces(pieces: readonly Sql[], between: string): Sql {
  const all: (string | Part)[] = []
  pieces.forEach((piece, index) => {
    if (index > 0) all.push(between)
    addTo(all, piece)
  })
  return all
}

/** Joins conditions that all must hold; without any it always holds. */
export function allOf(conditions: readonly Sql[]): Sql {
  return groupOf(conditions, ' and ', ['1 = 1'])
}

/** Joins conditions of which one must hold; without any it never holds. */
export function anyOf(conditions: readonly Sql[]): Sql {
  return groupOf(conditions, ' or ', ['1 = 0'])
}

function groupOf(conditions: readonly Sql[], between: string, empty: Sql): Sql {
  const [only] = conditions
  if (only === undefined) return empty
  return conditions.length === 1 ? only : ['(', ...joinPieces(conditions, between), ')']
}

/** Builds the parts of a statement with a library. */
export interface Writer<T> {
  readonly text: (text: string) => T
  readonly column: (column: string) => T
  readonly value: (value: unknown) => T
  /** @throws MisuseError `store_raw` for a value that is not a condition of the library. */
  readonly raw: (raw: unknown) => T
}

/** Writes each part of a piece of SQL as the library has it. */
export function writePiece<T>(piece: Sql, { text, column, value, raw }: Writer<T>): T[] {
  return piece.map((part) => {
    if (typeof part === 'string') return text(part)
    if ('column' in part) return column(part.column)
    return 'value' in part ? value(part.value) : raw(part.raw)
  })
}

/** Writes the mark of a parameter; the first one is 1. */
export function placeholder(dialect: Dialect, index: number): string {
  return dialect === 'postgres' ? `$${index}` : '?'
}

/** Writes a piece of SQL without columns and raw conditions as text and parameters. */
export function compileText(
  piece: Sql,
  dialect: Dialect,
): { readonly text: string; readonly parameters: readonly unknown[] } {
  const parameters: unknown[] = []
  const none = (): never => {
    throw new TypeError('This statement has no columns.')
  }
  const value = (each: unknown): string => placeholder(dialect, parameters.push(each))
  const text = writePiece(piece, { text: String, value, column: none, raw: none }).join('')
  return { text, parameters }
}
