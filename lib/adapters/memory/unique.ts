import { UniqueViolation } from '../../crud/contract/index.js'
import { toDigits, valueText, type AnyRow } from './matches.js'
import type { Entries } from './overlay.js'

/** The columns that must be unique, alone or together. */
export type Unique = readonly (readonly string[])[]

/** The keys of the rows by the values of their unique columns, so that a new row is not compared with all others. */
export type Taken = Entries<string, unknown>

interface Held {
  readonly key: unknown
  readonly row: AnyRow
}

interface Values {
  readonly taken: Taken
  readonly decimals: ReadonlySet<string>
}

/** Takes the values of a row, in place of those that it had before. @throws UniqueViolation if another row has them. */
export function takeValues(state: Values, unique: Unique, { key, row }: Held, before?: AnyRow): void {
  const { taken } = state
  const texts = unique.map((columns) => textOf(state, columns, row))
  const columns = unique.find((_, at) => {
    const text = texts[at]
    return text !== undefined && taken.has(text) && taken.get(text) !== key
  })
  if (columns !== undefined) throw new UniqueViolation({ columns })
  if (before !== undefined) releaseValues(state, unique, before)
  for (const text of texts) if (text !== undefined) taken.set(text, key)
}

/** Releases the values of a row that was deleted or changed. */
export function releaseValues(state: Values, unique: Unique, row: AnyRow): void {
  for (const columns of unique) state.taken.delete(textOf(state, columns, row) ?? '')
}

/** Returns a text that only rows with equal values have; `undefined` if one of them is missing. */
function textOf({ decimals }: Values, columns: readonly string[], row: AnyRow): string | undefined {
  const values = columns.map((column) => (decimals.has(column) ? toDigits(row[column]) : row[column]))
  if (values.some((value) => value === null || value === undefined)) return undefined
  return JSON.stringify([columns, values.map(valueText)])
}
