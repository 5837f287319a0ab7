/**
 * The parameters and bodies of a client that cannot be changed. Other parts of requests and all replies are unaffected.
 *
 * @example
 * const dialect: Dialect = { paramNames: { limit: 'size', search: 'q' }, sorter: (field) => `order_${field}` }
 */
export interface Dialect {
  /** The names of parameters of the list, by their own names: `{ limit: 'pageSize' }`. @default their own names */
  readonly paramNames?: Readonly<Record<string, string>>
  /**
   * Returns the name of the parameter that sorts by a field, whose value is `asc` or `desc`.
   *
   * @default one parameter `sort` for all fields
   */
  readonly sorter?: (field: string) => string
  /**
   * True if an empty string in a query, or as a field of a body, means that there is no value: a field becomes null
   * where it accepts null, otherwise it is left out where it may be.
   *
   * @default false
   */
  readonly emptyIsUnset?: boolean
  /**
   * True if `create` accepts a list as well, of a resource that has `createMany` by `bulk`.
   *
   * @default false
   */
  readonly listCreates?: boolean
}

export interface DialectOption {
  /** Accepts the requests of another client: `dux` of `resourcery/dux`, or your own dialect. @default none */
  readonly dialect?: Dialect
}
