import { MisuseError, type Library } from '../../errors.js'
import { checkOptionNames } from '../../options.js'

/** A column that orders rows, `-` in front for descending: `'id'`, `'-createdAt'`; never one that may be null. */
type OrderKey<Row> = `${'' | '-'}${NeverNull<Row>}`

export type NeverNull<Row> = { [K in keyof Row & string]: unknown extends Row[K] ? K : null extends Row[K] ? never : K }[keyof Row & string]

export interface Key {
  /** As it was written, without the sign: `posts.createdAt`. */
  readonly column: string
  readonly descending: boolean
}

/** The whole order of a list, the last key unique; `spelling` tells one order from another. */
export interface Order {
  readonly keys: readonly Key[]
  readonly spelling: string
}

/**
 * Reads the option `by` of a source.
 *
 * @throws MisuseError `<library>_option_unknown` for an option that does not exist, `<library>_order` where `by` is no list of columns.
 */
export function readOrder(library: Library, options: { readonly by?: readonly string[] }): Order {
  checkOptionNames(`The source of ${library}`, options, ['by'], {}, `${library}_option_unknown`)
  const { by = [] } = options
  if (!isListOfKeys(by)) {
    throw new MisuseError(`${library}_order`, "`by` is a list of columns, `-` in front for descending: ['-createdAt', 'id'].")
  }
  const keys = by.map((spelling) => {
    const descending = spelling.startsWith('-')
    return { column: descending ? spelling.slice(1) : spelling, descending }
  })
  return { keys, spelling: by.join() }
}

function isListOfKeys(by: unknown): boolean {
  return Array.isArray(by) && by.every((spelling) => typeof spelling === 'string' && /^-?[^-]/.test(spelling))
}

/** @throws MisuseError `<library>_order` when a list has no order, or one of its own beside the keys. */
export function checkOrder(library: Library, order: Order, hasOwn: boolean): void {
  const isKeyed = order.keys.length > 0
  if (isKeyed && hasOwn) throw new MisuseError(`${library}_order`, 'The query has an order already, and `by` is the whole order.')
  if (!isKeyed && !hasOwn) {
    const sentence = 'Pages without an order repeat and miss rows: order the query, or give { by }, a unique key last.'
    throw new MisuseError(`${library}_order`, sentence)
  }
}

/** How a library spells a condition that is plain data. */
interface Vocabulary {
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
