import { checkOptionNames, MisuseError, type Library } from '../../../core/index.js'

export type NeverNull<Row> = {
  [K in keyof Row & string]: unknown extends Row[K] ? K : null extends Row[K] ? never : K
}[keyof Row & string]

export interface Key {
  /** The column without the sign: `posts.createdAt`. */
  readonly column: string
  readonly descending: boolean
  /** True for a column that may be null: nulls come last, in both directions. */
  readonly nullable: boolean
}

/** The whole order of a list, the last key unique; `spelling` identifies the order. */
export interface Order {
  readonly keys: readonly Key[]
  readonly spelling: string
}

export interface OrderOptions {
  readonly by?: readonly string[] | undefined
  readonly nullable?: readonly string[] | undefined
}

/**
 * Reads the options `by` and `nullable` of a source; `most` is the number of columns, from the first, that `nullable`
 * may name.
 *
 * @throws MisuseError `<library>_option_unknown` for an option that does not exist, `<library>_order` where `by` is no
 * list of columns, and where `nullable` names another column, or the last one.
 */
export function readOrder(library: Library, options: OrderOptions, most = Infinity): Order {
  checkOptionNames(`The source of ${library}`, options, ['by', 'nullable'], `${library}_option_unknown`)
  const { by = [], nullable = [] } = options
  if (!isListOfKeys(by)) {
    throw new MisuseError(
      `${library}_order`,
      "`by` is no list of columns. Write ['-createdAt', 'id'], with `-` in front for descending.",
    )
  }
  const keys = by.map((spelling) => {
    const descending = spelling.startsWith('-')
    const column = descending ? spelling.slice(1) : spelling
    return { column, descending, nullable: nullable.includes(column) }
  })
  checkNullable(library, nullable, keys, most)
  return { keys, spelling: by.join() }
}

function checkNullable(library: Library, nullable: unknown, keys: readonly Key[], most: number): void {
  const sorted = keys.slice(0, -1).map(({ column }) => column)
  const isAmong = (columns: readonly string[]): boolean =>
    Array.isArray(nullable) && nullable.every((column) => columns.some((each) => each === column))
  if (isAmong(sorted.slice(0, most))) return
  if (isAmong(sorted)) {
    throw new MisuseError(
      `${library}_order`,
      'Only the first column of `by` may be null in a source of this library. Put it first, or leave it out.',
    )
  }
  throw new MisuseError(
    `${library}_order`,
    '`nullable` lists columns of `by` that may be null, and the last column of `by` is unique and never null.',
  )
}

export function has<Name extends string>(value: unknown, ...names: Name[]): value is Readonly<Record<Name, unknown>> {
  return typeof value === 'object' && value !== null && names.every((name) => name in value)
}

/** Returns the name of a column without the table in front of it. */
export function bareName(column: string): string {
  return column.slice(column.lastIndexOf('.') + 1)
}

function isListOfKeys(by: unknown): boolean {
  return Array.isArray(by) && by.every((spelling) => typeof spelling === 'string' && /^-?[^-]/.test(spelling))
}

/** The properties of a query of SQL that decide whether it has pages. */
interface Traits {
  readonly isLimited: boolean
  readonly isOrdered: boolean
  /** True for a union and for `distinct on`, whose columns no condition can name. */
  readonly isCombined: boolean
  /** The expression of the library that selects from a subquery. */
  readonly subquery: string
}

/**
 * Checks that a query has exactly one order, and neither a limit nor an offset.
 *
 * @throws MisuseError `<library>_query` for a limit or an offset, `<library>_order` as {@link checkOrder} and for `by`
 * with a query that has no columns to compare.
 */
export function checkPaged(library: Library, order: Order,
  { isLimited, isOrdered, isCombined, subquery }: Traits): void
{
  if (isLimited) throw limitError(library)
  checkOrder(library, order, isOrdered)
  if (order.keys.length === 0 || !isCombined) return
  throw new MisuseError(
    `${library}_order`,
    `\`by\` was given for a query with a union or \`distinct on\`. Put it into a subquery: ${subquery}.`,
  )
}

export function limitError(library: Library): MisuseError {
  return new MisuseError(`${library}_query`, 'The query has a limit or an offset, which the page sets. Remove it.')
}

/**
 * Checks that a list has exactly one order.
 *
 * @throws MisuseError `<library>_order` for no order, and for an order of the query besides `by`.
 */
export function checkOrder(library: Library, order: Order, hasOwn: boolean): void {
  const isKeyed = order.keys.length > 0
  if (isKeyed && hasOwn)
    throw new MisuseError(
      `${library}_order`,
      'The query has an order, and `by` is given too. Remove one of them: `by` is the whole order.',
    )
  if (!isKeyed && !hasOwn) {
    const sentence = 'The query has no order, without which pages repeat and miss rows. '
      + 'Order it, or give { by }, with a unique key last.'
    throw new MisuseError(`${library}_order`, sentence)
  }
}

/** The names of operators in conditions that are plain data. */
export interface Operators {
  readonly and: string | symbol
  readonly or: string | symbol
  readonly less: string | symbol
  readonly greater: string | symbol
  readonly notEqual: string | symbol
  /** Name bounds, for databases of SQL. */
  readonly atMost?: string | symbol
  readonly atLeast?: string | symbol
}

export type Condition = Readonly<Record<string | symbol, unknown>>

/** Returns the labels of an enum that the database sorts by their places and compares as strings. */
export type LabelsOf = (column: string) => readonly unknown[] | undefined

/**
 * Returns the condition for rows after the one with these values: equal in the first keys and beyond in the next one.
 */
export function isAfter(
  keys: readonly Key[],
  values: readonly unknown[],
  { and, or, less, greater, atMost, atLeast }: Operators,
  labelsOf: LabelsOf = () => undefined,
): Condition {
  const isBeyond = ({ column, descending }: Key, value: unknown): unknown => {
    const labels = labelsOf(column)
    if (labels === undefined) return { [descending ? less : greater]: value }
    const place = labels.indexOf(value)
    return descending ? labels.slice(0, Math.max(place, 0)) : labels.slice(place + 1)
  }
  const after = {
    [or]: keys.map((key, index) => ({
      [and]: [
        ...keys.slice(0, index).map((earlier, place) => ({ [earlier.column]: values[place] })),
        { [key.column]: isBeyond(key, values[index]) },
      ],
    })),
  }
  const [first] = keys
  const bound = first?.descending === true ? atMost : atLeast
  if (first === undefined || bound === undefined || labelsOf(first.column) !== undefined) return after
  // The other conditions imply the bound; with it PostgreSQL begins at the right place of an index.
  return { [and]: [{ [first.column]: { [bound]: values[0] } }, after] }
}
