/** The column and the constraint that an error names, by their names in the database. */
interface Blamed {
  readonly column?: string | undefined
  readonly constraint?: string | undefined
}

/**
 * An error of a driver that a library has wrapped, with a code that `sql/violations.ts` or `sql/driver-errors.ts`
 * knows.
 */
export class DriverFailure extends Error {
  readonly code: string | undefined
  readonly column: string | undefined
  readonly constraint: string | undefined

  constructor(code: string | undefined, message: string, cause: unknown, { column, constraint }: Blamed = {}) {
    super(message, { cause })
    this.name = 'DriverFailure'
    this.code = code
    this.column = column
    this.constraint = constraint
  }
}
