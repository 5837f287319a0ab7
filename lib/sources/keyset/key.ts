import { MisuseError, type Library } from '../../errors.js'
import { checkOptionNames } from '../../options.js'

/** A column that orders rows, `-` in front for descending: `'id'`, `'-createdAt'`; never one that may be null. */
export type OrderKey<Row> = `${'' | '-'}${NeverNull<Row>}`

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
