/**
 * Returns true for an error about a value of a cursor that its column cannot have. The caller invented it, since the
 * cursors of this package contain values of the column.
 */
export function isUnreadable(error: unknown): boolean {
  return causesOf(error).some(({ code, name, errno, originalCode }) =>
    [code, name, errno, originalCode].some(isAboutValue)
  )
}

export function messagesOf(error: unknown): string[] {
  return causesOf(error).map(({ message }) => String(message))
}

interface Failure {
  readonly message?: unknown
  readonly code?: unknown
  readonly name?: unknown
  /** The number of mysql2. */
  readonly errno?: unknown
  /** The code of Prisma's driver adapters. */
  readonly originalCode?: unknown
  readonly cause?: unknown
  /** The cause in sequelize. */
  readonly original?: unknown
  /** The cause in typeorm. */
  readonly driverError?: unknown
  /** The cause in Prisma. */
  readonly meta?: { readonly driverAdapterError?: unknown }
}

/** Returns an error and its causes: the libraries wrap the errors of drivers. */
function causesOf(error: unknown, outer: readonly Failure[] = []): readonly Failure[] {
  if (typeof error !== 'object' || error === null || outer.includes(error)) return outer
  const { cause, original, driverError, meta }: Failure = error
  return causesOf(cause ?? original ?? driverError ?? meta?.driverAdapterError, [...outer, error])
}

/** Returns true for a code about a value; all of PostgreSQL's class 22 (Appendix A) is. */
function isAboutValue(code: unknown): boolean {
  return UNREADABLE.has(code) || (typeof code === 'string' && /^22[\dA-Z]{3}$/.test(code))
}

/**
 * An operator that PostgreSQL does not have, the numbers of MySQL and MariaDB, and the names of Prisma and mongoose.
 */
// dprint-ignore
const UNREADABLE = new Set<unknown>([
  '42883', 1264, 1265, 1267, 1292, 1366, 1411, 1525, 1690, 3854, 3988,
  'ER_WRONG_VALUE', 'ER_TRUNCATED_WRONG_VALUE', 'ER_CANT_AGGREGATE_2COLLATIONS', 'ER_CANNOT_CONVERT_STRING',
  'PrismaClientValidationError', 'P2006', 'P2007', 'P2020', 'P2023', 'P2033', 'CastError',
])
