import { ConflictError, HttpError, UnavailableError, ValidationError } from '../../errors.js'

/*
 * What drivers call what went wrong: the SQLSTATE of PostgreSQL (Appendix A), the names of MySQL's and MariaDB's error numbers, the
 * sentences of SQLite, which are the same in all its drivers, and the codes of Node for a connection.
 */

const CONFLICTS = new Set(['23505', '23503', '23001', '23P01', 'ER_DUP_ENTRY', 'ER_ROW_IS_REFERENCED', 'ER_ROW_IS_REFERENCED_2', 'ER_NO_REFERENCED_ROW', 'ER_NO_REFERENCED_ROW_2'])

const MISFITS: Readonly<Record<string, string>> = {
  '22001': 'Is too long', 'ER_DATA_TOO_LONG': 'Is too long',
  '22003': 'Is out of range', 'ER_WARN_DATA_OUT_OF_RANGE': 'Is out of range',
  '23502': 'Must be given', 'ER_BAD_NULL_ERROR': 'Must be given', 'ER_NO_DEFAULT_FOR_FIELD': 'Must be given',
  '23514': 'Is not allowed', 'ER_CONSTRAINT_FAILED': 'Is not allowed', 'ER_CHECK_CONSTRAINT_VIOLATED': 'Is not allowed',
  '22P02': 'Cannot be read', '22007': 'Cannot be read', '22008': 'Cannot be read', '22021': 'Cannot be read',
  'ER_TRUNCATED_WRONG_VALUE': 'Cannot be read', 'ER_TRUNCATED_WRONG_VALUE_FOR_FIELD': 'Cannot be read', 'ER_WRONG_VALUE': 'Cannot be read',
}

/** What has undone a transaction, or never let it begin, so that it can begin anew. */
const UNDONE = new Set(['40001', '40P01', 'ER_LOCK_DEADLOCK', 'ER_CHECKREAD', 'SQLITE_BUSY'])

const DOWN = new Set([
  '57P01', '57P02', '57P03', '57P05', '57014', '55P03', '25P03', '53300', 'PROTOCOL_CONNECTION_LOST', 'PROTOCOL_SEQUENCE_TIMEOUT', 'POOL_CLOSED',
  'ER_LOCK_WAIT_TIMEOUT', 'ER_CON_COUNT_ERROR', 'ER_TOO_MANY_USER_CONNECTIONS', 'ER_SERVER_SHUTDOWN', 'ER_QUERY_INTERRUPTED', 'ER_QUERY_TIMEOUT',
  'ER_STATEMENT_TIMEOUT', 'ER_CONNECTION_KILLED', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN',
  'SQLITE_LOCKED', 'SQLITE_IOERR', 'SQLITE_FULL', 'SQLITE_CANTOPEN',
])

/** Drivers say this of a lost connection without any code. */
const DOWN_SENTENCE = /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Can't add new command when connection is in closed state|Connection lost|Query read timeout)/i
const BUSY_SENTENCE = /^(database|database table) is locked/
const SQLITE_CONSTRAINT = /(UNIQUE|FOREIGN KEY|PRIMARY KEY|CHECK|NOT NULL) constraint failed(?:: (?:\w+\.)?(\w+)$)?/

interface DriverError {
  readonly code?: unknown
  readonly message?: unknown
  readonly column?: unknown
}

/** Whether what failed may be tried again: it left nothing behind. */
export function isUndone(error: unknown): boolean {
  const { code, message } = asDriverError(error)
  return UNDONE.has(String(code)) || BUSY_SENTENCE.test(String(message))
}

/** Whether the connection or the server is gone, or gave no answer in time. */
export function isDown(error: unknown): boolean {
  const { code, message } = asDriverError(error)
  return DOWN.has(String(code)) || String(code).startsWith('08') || DOWN_SENTENCE.test(String(message))
}

/** What a driver threw, as an error with a status where it is one of the foreseen kinds; everything else as it is. */
export function toStoreError(cause: unknown, fields: object = {}): unknown {
  if (cause instanceof HttpError || typeof cause !== 'object' || cause === null) return cause
  if (isUndone(cause) || isDown(cause)) return new UnavailableError('The database gave no answer', { cause })
  return sqliteError(cause, fields) ?? codedError(cause, fields) ?? cause
}

function sqliteError({ message }: DriverError, fields: object): Error | undefined {
  const [, constraint, column] = SQLITE_CONSTRAINT.exec(String(message)) ?? []
  if (constraint === undefined) return undefined
  if (constraint === 'NOT NULL') return misfit('Must be given', column, fields)
  return constraint === 'CHECK' ? misfit('Is not allowed', undefined, fields) : new ConflictError()
}

function codedError(error: DriverError, fields: object): Error | undefined {
  const code = String(error.code)
  if (CONFLICTS.has(code)) return new ConflictError()
  const fault = Object.hasOwn(MISFITS, code) ? MISFITS[code] : undefined
  return fault === undefined ? undefined : misfit(fault, columnOf(error), fields)
}

function asDriverError(error: unknown): DriverError {
  return typeof error === 'object' && error !== null ? error : {}
}

/** PostgreSQL names the column sometimes, MySQL in its sentence. */
function columnOf({ column, message }: DriverError): string | undefined {
  return typeof column === 'string' ? column : /(?:column|Field|Column) '(\w+)'/.exec(String(message))?.[1]
}

/** A column is named only where it is one of those that were written: the names of others are nobody's business. */
function misfit(message: string, column: string | undefined, fields: object): ValidationError {
  const [only, ...others] = Object.keys(fields)
  const known = column !== undefined && Object.hasOwn(fields, column) ? column : undefined
  return new ValidationError({ [known ?? (others.length === 0 ? only : undefined) ?? '_']: [message] })
}
