/** Whether a value of a cursor is none of its column's type: the caller wrote it, since our own cursors hold what the column held. */
export function isUnreadable(error: unknown): boolean {
  return causesOf(error).some(({ code, name }) => UNREADABLE.has(code) || UNREADABLE.has(name))
}

interface Failure {
  readonly code?: unknown
  readonly name?: unknown
  readonly cause?: unknown
  /** Of sequelize's errors. */
  readonly original?: unknown
  /** Of Prisma's errors. */
  readonly meta?: { readonly driverAdapterError?: unknown }
}

/** The error and what it wraps: the libraries put their own around the driver's. */
function causesOf(error: unknown): Failure[] {
  const causes: Failure[] = []
  for (let cause = error; typeof cause === 'object' && cause !== null && !causes.includes(cause); cause = causeOf(cause)) causes.push(cause)
  return causes
}

function causeOf({ cause, original, meta }: Failure): unknown {
  return cause ?? original ?? meta?.driverAdapterError
}

/** SQLSTATEs of PostgreSQL, names of MySQL's, of Prisma's and of mongoose's. */
const UNREADABLE = new Set<unknown>([
  '22P02', '22007', '22008', '22003', '22021', '42883', 'ER_WRONG_VALUE', 'ER_CANT_AGGREGATE_2COLLATIONS',
  'PrismaClientValidationError', 'P2020', 'CastError',
])
