import type { Order } from './key.js'

/** How a library spells a condition that is plain data. */
export interface Vocabulary {
  readonly and: string | symbol
  readonly or: string | symbol
  readonly less: string | symbol
  readonly greater: string | symbol
}

export type Condition = Readonly<Record<string | symbol, unknown>>

/** The condition that a row is behind the one with these values: equal in the first keys and beyond in the next one. */
export function isBehind({ keys }: Order, values: readonly unknown[], { and, or, less, greater }: Vocabulary): Condition {
  return {
    [or]: keys.map(({ column, descending }, index) => ({
      [and]: [
        ...keys.slice(0, index).map((earlier, place) => ({ [earlier.column]: values[place] })),
        { [column]: { [descending ? less : greater]: values[index] } },
      ],
    })),
  }
}
