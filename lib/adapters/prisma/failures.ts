import { UnavailableError } from '../../core/index.js'
import { driverFailure } from '../sql/driver-errors.js'

/* Converts the errors of Prisma to errors with the code that `sql/violations.ts` or `sql/driver-errors.ts` knows. */

/** The description of a database error by a driver adapter. */
interface AdapterCause {
  readonly kind?: string
  readonly originalCode?: string
  readonly originalMessage?: string
  readonly message?: string
  readonly constraint?: { readonly index?: string }
  readonly column?: string
  /** Of a unique constraint of PostgreSQL. */
  readonly table?: string
  /** The SQLSTATE of MySQL and MariaDB. */
  readonly state?: string
}

interface Thrown {
  readonly name?: unknown
  readonly code?: unknown
  readonly errorCode?: unknown
  readonly message?: unknown
  readonly cause?: unknown
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: AdapterCause } }
}

/** Runs a Prisma call, and throws its errors as those of the driver. */
export async function asDriver<T>(call: () => PromiseLike<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw failureOf(error)
  }
}

function failureOf(error: unknown): unknown {
  const thrown = (typeof error === 'object' && error !== null ? error : {}) as Thrown
  if (!String(thrown.name).startsWith('Prisma') && thrown.name !== 'DriverAdapterError') return error
  const own = thrown.name === 'DriverAdapterError' ? thrown.cause as AdapterCause : undefined
  const adapter = thrown.meta?.driverAdapterError?.cause ?? own
  return adapter === undefined ? ofPrisma(thrown, error) : ofDatabase(adapter, error)
}

function ofDatabase(adapter: AdapterCause, cause: unknown): Error {
  const { kind = '', originalCode, message = kind, originalMessage: text = message, constraint, column } = adapter
  const code = CODES.get(originalCode ?? kind) ?? originalCode
  return driverFailure(code, text, cause, {
    sqlState: adapter.state,
    table: adapter.table,
    column: firstOf(/^null value in column "([^"]+)"/, text) ?? column,
    constraint: constraint?.index ?? firstOf(/ violates (?:check|foreign key|exclusion) constraint "([^"]+)"/, text),
  })
}

function firstOf(pattern: RegExp, text: string): string | undefined {
  return pattern.exec(text)?.[1]
}

/** The codes of the drivers for what Prisma names in another way. */
// dprint-ignore
const CODES = new Map(Object.entries({
  // The kinds of Prisma's adapters, for errors without a number
  DatabaseNotReachable: 'ECONNREFUSED', ConnectionClosed: 'ECONNRESET', SocketTimeout: 'ETIMEDOUT',
  TooManyConnections: '53300',
  // Prisma's own codes: https://www.prisma.io/docs/orm/reference/error-reference
  P1001: 'ECONNREFUSED', P1002: 'ETIMEDOUT', P1008: 'ETIMEDOUT', P1017: 'ECONNRESET', P2024: 'ETIMEDOUT',
  P2034: '40001',
  // The results of SQLite
  5: 'SQLITE_BUSY', 6: 'SQLITE_LOCKED', 10: 'SQLITE_IOERR', 13: 'SQLITE_FULL', 14: 'SQLITE_CANTOPEN',
  261: 'SQLITE_BUSY', 517: 'SQLITE_BUSY', 773: 'SQLITE_BUSY',
  // The errors of MySQL and MariaDB
  1020: 'ER_CHECKREAD', 1021: 'ER_DISK_FULL', 1040: 'ER_CON_COUNT_ERROR', 1041: 'ER_OUT_OF_RESOURCES',
  1048: 'ER_BAD_NULL_ERROR', 1053: 'ER_SERVER_SHUTDOWN', 1062: 'ER_DUP_ENTRY', 1114: 'ER_RECORD_FILE_FULL',
  1203: 'ER_TOO_MANY_USER_CONNECTIONS', 1205: 'ER_LOCK_WAIT_TIMEOUT', 1213: 'ER_LOCK_DEADLOCK',
  1216: 'ER_NO_REFERENCED_ROW', 1217: 'ER_ROW_IS_REFERENCED', 1264: 'ER_WARN_DATA_OUT_OF_RANGE',
  1265: 'WARN_DATA_TRUNCATED', 1290: 'ER_OPTION_PREVENTS_STATEMENT', 1292: 'ER_TRUNCATED_WRONG_VALUE',
  1317: 'ER_QUERY_INTERRUPTED',
  1364: 'ER_NO_DEFAULT_FOR_FIELD', 1366: 'ER_TRUNCATED_WRONG_VALUE_FOR_FIELD', 1406: 'ER_DATA_TOO_LONG',
  1411: 'ER_WRONG_VALUE_FOR_TYPE', 1451: 'ER_ROW_IS_REFERENCED_2', 1452: 'ER_NO_REFERENCED_ROW_2',
  1525: 'ER_WRONG_VALUE', 1586: 'ER_DUP_ENTRY_WITH_KEY_NAME', 1690: 'ER_DATA_OUT_OF_RANGE', 1836: 'ER_READ_ONLY_MODE',
  1927: 'ER_CONNECTION_KILLED', 1969: 'ER_STATEMENT_TIMEOUT', 3024: 'ER_QUERY_TIMEOUT',
  3819: 'ER_CHECK_CONSTRAINT_VIOLATED', 4025: 'ER_CONSTRAINT_FAILED',
  // The errors of MariaDB's driver
  45001: 'ER_CONNECTION_ALREADY_CLOSED', 45009: 'ER_SOCKET_UNEXPECTED_CLOSE', 45012: 'ETIMEDOUT',
  45013: 'ER_CMD_CONNECTION_CLOSED', 45019: 'ECONNRESET', 45026: 'ETIMEDOUT', 45027: 'POOL_CLOSED',
  45028: 'ER_GET_CONNECTION_TIMEOUT', 45061: 'ER_GET_CONNECTION_TIMEOUT',
}))

/** A sentence about one argument, by the code of the database for it. */
const ARGUMENTS: readonly (readonly [sentence: RegExp, code: string])[] = [
  [/^Argument `(\w+)` (?:is missing|must not be null)\.$/, '23502'],
  [/^Argument `(\w+)`: Invalid value provided\./, '22P02'],
  [/^Invalid value for argument `(\w+)`/, '22P02'],
  [/^Unable to fit value \S+ into a 64-bit signed integer for field `(\w+)`$/, '22003'],
]

function ofPrisma({ code, errorCode, message }: Thrown, cause: unknown): unknown {
  const own = String(code ?? errorCode)
  // A transaction that has lasted too long would last as long again.
  if (own === 'P2028') return new UnavailableError('The database gave no answer', { cause })
  // Prisma ends its message with the reason; the call in front of it holds values of the caller.
  const reason = String(message).trimEnd().split('\n').at(-1) ?? ''
  const failureCode = CODES.get(own)
  if (failureCode !== undefined) return driverFailure(failureCode, reason, cause)
  for (const [sentence, blamed] of ARGUMENTS) {
    const [, column] = sentence.exec(reason) ?? []
    // `set` holds the elements of a list.
    if (column !== undefined) return driverFailure(blamed, reason, cause, column === 'set' ? {} : { column })
  }
  return cause
}
