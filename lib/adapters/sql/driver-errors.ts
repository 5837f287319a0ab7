/*
 * The errors of drivers: the SQLSTATE of PostgreSQL (Appendix A), the names of MySQL's and MariaDB's error numbers, the
 * sentences of SQLite, which are the same in all its drivers, and the codes of Node.js for a connection. Class 08 of
 * SQLSTATE is a lost connection in every database.
 */

/** Codes of errors that undo a transaction or prevent its start, so that it can be repeated. */
const UNDONE = new Set(['40001', '40P01', 'ER_LOCK_DEADLOCK', 'ER_CHECKREAD', 'SQLITE_BUSY'])

/**
 * Codes of servers and connections that are gone, late, without disk or memory (class 53 of SQLSTATE), or that only
 * read, as a primary does after a failover.
 */
// dprint-ignore
const DOWN = new Set([
  // PostgreSQL
  '57P01', '57P02', '57P03', '57P05', '57014', '55P03', '25P03', '25P04', '25006',
  '53100', '53200', '53300',
  // MySQL and MariaDB
  'ER_LOCK_WAIT_TIMEOUT', 'ER_CON_COUNT_ERROR', 'ER_TOO_MANY_USER_CONNECTIONS', 'ER_DISK_FULL', 'ER_RECORD_FILE_FULL',
  'ER_OUT_OF_RESOURCES', 'ER_SERVER_SHUTDOWN', 'ER_QUERY_INTERRUPTED', 'ER_QUERY_TIMEOUT', 'ER_STATEMENT_TIMEOUT',
  'ER_CONNECTION_KILLED', 'ER_OPTION_PREVENTS_STATEMENT', 'ER_READ_ONLY_MODE',
  'ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION',
  // Their drivers
  'PROTOCOL_CONNECTION_LOST', 'PROTOCOL_SEQUENCE_TIMEOUT', 'POOL_CLOSED', 'ER_CMD_CONNECTION_CLOSED',
  'ER_SOCKET_UNEXPECTED_CLOSE', 'ER_CONNECTION_ALREADY_CLOSED', 'ER_GET_CONNECTION_TIMEOUT',
  // Node.js
  'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN',
  // SQLite
  'SQLITE_LOCKED', 'SQLITE_IOERR', 'SQLITE_FULL', 'SQLITE_CANTOPEN',
])

/** Drivers say this of a lost connection without any code; some libraries put the statement in front. */
const DOWN_SENTENCES = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'Client has encountered a connection error',
  "Can't add new command when connection is in closed state",
  'Connection lost',
  'Query read timeout',
  'Operation timeout',
  'Query runner already released',
  'Database connection provided by a query runner was already released',
]
const DOWN_SENTENCE = new RegExp(`^(?:.* - )?(?:${DOWN_SENTENCES.join('|')})[^-]*$`, 'is')
const BUSY_SENTENCE = /^(?:.* - )?(?:database|database table) is locked[^-]*$/s

/** Describes an error as drivers do; every part may be absent. */
export interface DriverError {
  readonly code?: unknown
  /** The SQLSTATE, where `code` is a name. */
  readonly sqlState?: unknown
  readonly message?: unknown
  /** The message of MySQL, where a library has changed the other. */
  readonly sqlMessage?: unknown
  /** Of PostgreSQL, like the constraint and the table. */
  readonly column?: unknown
  readonly constraint?: unknown
  readonly detail?: unknown
  readonly table?: unknown
  /** Of PostgreSQL: the statements and functions inside of which it happened. */
  readonly where?: unknown
}

/** True for a failure that left no change, so that it may be repeated. */
export function isUndone(error: unknown): boolean {
  const { code, message } = asDriverError(error)
  return UNDONE.has(String(code)) || BUSY_SENTENCE.test(String(message))
}

/**
 * True for a statement of PostgreSQL with a value that does not fit, that has waited too long for a lock, or that a
 * database which speaks its protocol does not know: classes 22, 0A and 42 of SQLSTATE.
 */
export function isRefused(error: unknown): boolean {
  return /^(?:(?:22|0A|42)\w{3}|55P03)$/.test(String(asDriverError(error).code))
}

/** True if the connection or the server is gone, gave no answer in time, or has no disk or memory left. */
export function isDown(error: unknown): boolean {
  const { code, sqlState, message } = asDriverError(error)
  return DOWN.has(String(code)) || String(sqlState ?? code).startsWith('08')
    || (code === undefined && DOWN_SENTENCE.test(String(message)))
}

interface Wrapper extends DriverError {
  /** Of drizzle, with the statement in `query`. */
  readonly cause?: unknown
  readonly query?: unknown
  /** Of typeorm. */
  readonly driverError?: unknown
  /** Of sequelize. */
  readonly original?: unknown
}

/** Returns the error of the driver, which some libraries wrap in one of their own. */
function driverErrorOf(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) return error
  const { driverError, original, query, cause }: Wrapper = error
  const inner = driverError ?? original ?? (typeof query === 'string' ? cause : undefined)
  return typeof inner === 'object' && inner !== null ? driverErrorOf(inner) : error
}

/** Returns the details of a driver's error, in one shape for all drivers. */
export function asDriverError(error: unknown): DriverError {
  const driverError = driverErrorOf(error)
  if (typeof driverError !== 'object' || driverError === null) return {}
  const { code, sqlState, message, sqlMessage, column, constraint, detail, table, where }: DriverError = driverError
  const sentence = sqlMessage ?? withoutStatement(message, code)
  return { code, sqlState, message: sentence, sqlMessage, column, constraint, detail, table, where }
}

/** Knex puts the statement in front of a message; on PostgreSQL it has marks in place of the values. */
const STATEMENT = /^(?:insert into|update|delete from|select|with) ["*(].*? - /is

/** Returns the message of PostgreSQL, whose errors have a SQLSTATE of five characters as their code. */
function withoutStatement(message: unknown, code: unknown): unknown {
  return typeof message === 'string' && /^[\dA-Z]{5}$/.test(String(code)) ? message.replace(STATEMENT, '') : message
}

/** The parts of an error that are not in its code: names in the database, and the SQLSTATE. */
interface Blamed {
  readonly column?: string | undefined
  readonly constraint?: string | undefined
  readonly table?: string | undefined
  readonly sqlState?: string | undefined
}

/** Returns the error of a driver that a library has wrapped, with a code that is known here or in `violations.ts`. */
export function driverFailure(code: string | undefined, message: string, cause: unknown, blamed: Blamed = {}): Error {
  return Object.assign(new Error(message, { cause }), { name: 'DriverFailure', code, ...blamed })
}
