import { isNativeError } from 'node:util/types'
import { hasProperties, propertiesOf, propertyOf } from './guards.js'

/*
 * The errors of databases. Drivers and libraries put the values that a statement binds into their messages and
 * properties: `Key (email)=(a@b) already exists`, `params`, `sql`, `keyValue`.
 */

type Loose = Readonly<Record<string, unknown>>
type Has = (...names: readonly string[]) => boolean

/** Names of the classes of drivers and libraries whose errors repeat values. */
// dprint-ignore
const NAMES = new Set([
  'PostgresError', 'SqliteError', 'LibsqlError', 'DrizzleQueryError', 'QueryFailedError', 'EntityNotFoundError',
  'DriverAdapterError', 'MongooseError', 'MongoError', 'DriverFailure',
])
const PREFIXES = /^(?:Sequelize|PrismaClient)/

const isOfPostgres = ({ severity, code }: Loose): boolean =>
  typeof severity === 'string' && /^[0-9A-Z]{5}$/.test(String(code))
const isOfMysql = ({ sqlState }: Loose): boolean => typeof sqlState === 'string'
const isOfSqlite = ({ code }: Loose): boolean => /^(?:SQLITE_|ERR_SQLITE)/.test(String(code))
const isOfSqlServer = ({ number, lineNumber }: Loose): boolean =>
  typeof number === 'number' && typeof lineNumber === 'number'

/** A copy of the properties of drizzle's error has not its message. */
const isOfDrizzle = ({ query, params, cause }: Loose): boolean =>
  typeof query === 'string' && Array.isArray(params) && hasProperties(cause) && isOfDatabase(cause)

/** The shapes of errors of drivers and libraries; a bundler may have shortened the names of their classes. */
const SHAPES: readonly ((error: Loose, has: Has) => boolean)[] = [
  isOfPostgres,
  isOfMysql,
  isOfSqlite,
  isOfSqlServer,
  isOfDrizzle,
  ({ query, message }, has) =>
    typeof query === 'string' && (has('driverError') || String(message).startsWith('Failed query:')),
  ({ sql }, has) => typeof sql === 'string' && has('errno', 'sqlMessage', 'original', 'bindings'),
]

export function isError(value: unknown): value is Error {
  return isNativeError(value) || value instanceof Error
}

/** True for an error of a database, and for a plain object with the properties of one, such as `{ ...error }`. */
export function isOfDatabase(value: object): boolean {
  const loose = propertiesOf(value)
  const has: Has = (...names) => names.some((name) => name in value)
  if (!isError(value) && !isCopied(loose, has)) return false
  return SHAPES.some((fits) => fits(loose, has))
    || namesOf(value).some((name) => NAMES.has(name) || PREFIXES.test(name))
}

/** True for a plain object that has more of a driver's error than data of an application may have. */
function isCopied(loose: Loose, has: Has): boolean {
  if (isOfPostgres(loose)) return has('routine', 'detail', 'length')
  return isOfDrizzle(loose) || has('message', 'sqlMessage', 'original')
}

/** Returns the names of an error and of its classes. */
function namesOf(error: object): string[] {
  const names = [String(propertyOf(error, 'name'))]
  for (
    let prototype = Reflect.getPrototypeOf(error);
    prototype !== null && prototype !== Error.prototype;
    prototype = Reflect.getPrototypeOf(prototype)
  ) {
    names.push(String(propertyOf(propertyOf(prototype, 'constructor'), 'name')))
  }
  return names
}

/** Properties that are a kind of error. */
const KINDS = ['code', 'errno', 'sqlState', 'severity', 'routine', 'codeName', 'number', 'clientVersion']
/** Properties that name parts of the database; a function of PostgreSQL may give them any text. */
const PARTS = ['schema', 'table', 'column', 'constraint', 'dataType']
/** Properties by which libraries refer to the error of the driver. */
const CAUSES = ['cause', 'original', 'parent', 'driverError']

/** Returns the error that a database error was made of. */
export function causeOf(error: object): object | undefined {
  const parts = CAUSES.map((name) => propertyOf(error, name))
  return parts.find((part): part is object =>
    isError(part) || (typeof part === 'object' && part !== null
      && isOfDatabase(part))
  )
}

/** Returns a copy without values and SQL, yet without a cause. */
export function withoutValues(error: object): object {
  const loose = propertiesOf(error)
  const text = textOf(error)
  const message = text === undefined ? REDACTED.slice(2) : withoutEnd(text)
  const copy = isError(error) ? asError(error, message) : { message }
  for (const name of text === undefined ? KINDS : [...KINDS, ...PARTS]) {
    const value = loose[name]
    if (isNameOrNumber(value)) Object.assign(copy, { [name]: value })
  }
  return copy
}

function asError(error: Error, message: string): Error {
  const copy = new Error(message)
  Object.defineProperty(copy, 'name', { value: error.name, configurable: true, writable: true })
  copy.stack = [`${error.name}: ${message}`, ...framesOf(error)].join('\n')
  return copy
}

function isNameOrNumber(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^[\w.$ -]{1,128}$/.test(value))
}

const REDACTED = '… (values redacted)'

/** Where the first name or value of a message may begin. */
const BEGIN = /["'`´“({[<:=@$]|(?<=\s)[-+]?\d|\n/

/** Returns the beginning of a message, up to the first name or value. */
function withoutEnd(message: string): string {
  const text = message.trim()
  const end = text.search(BEGIN)
  return end === -1 ? text : `${text.slice(0, end).trimEnd()}${REDACTED}`
}

/*
 * A trigger or a function raises errors with any code and any text, so that only the server's own texts are kept.
 */

/** Functions of PostgreSQL that raise the text of a user: of `raise` and `assert`, and of other languages. */
const RAISING = /^exec_stmt_|^pl[a-z0-9]*_|elog/i

/** The first error number of SQL Server that a user may choose. */
const OF_USERS = 50_000

const SQLITE_SENTENCE = /\b(?:UNIQUE|FOREIGN KEY|PRIMARY KEY|CHECK|NOT NULL) constraint failed\b/

/** The beginnings of messages of MySQL and MariaDB; `signal` may set any number, and any SQLSTATE. */
const MYSQL_BEGINNINGS = new RegExp(`^(?:${
  [
    'Access denied for user',
    'Cannot (?:add|delete) or update a (?:child|parent) row',
    'Check constraint',
    'Column',
    'CONSTRAINT',
    'Data (?:too long for column|truncated for column|truncation)',
    'Deadlock found when trying to get lock',
    'Division by',
    'Duplicate (?:column name|entry|key name)',
    'Field',
    'FUNCTION',
    'Incorrect \\w+ value',
    'Invalid (?:default value|JSON text|use of group function)',
    'Lock wait timeout exceeded',
    'Out of range value for column',
    'PROCEDURE',
    'Prepared statement',
    'Query execution was interrupted',
    'Record has changed since last read',
    'Server shutdown in progress',
    'retrieve connection from pool timeout',
    'Table',
    'Too many connections',
    'Truncated incorrect \\w+ value',
    'Unknown (?:column|database|prepared statement|table)',
    'You have an error in your SQL syntax',
  ].join('|')
})\\b`)

/** Returns the text of an error as far as no user has written it, `undefined` if one may have written all of it. */
function textOf(error: object, depth = 0): string | undefined {
  const loose = propertiesOf(error)
  const { message, sqlMessage } = loose
  if (isOfMysql(loose)) return withMark(MYSQL_BEGINNINGS.exec(String(sqlMessage ?? message)))
  if (typeof message !== 'string' || isRaised(loose, message)) return undefined
  if (isOfConstraint(loose)) return withMark(SQLITE_SENTENCE.exec(message))
  const repeated = depth < 9 ? repeatedBy(error, message) : undefined
  return repeated === undefined ? message : textOf(repeated, depth + 1)
}

/** Returns the error of the driver whose message a library repeats. */
function repeatedBy(error: object, message: string): object | undefined {
  const cause = causeOf(error)
  const isRepeated = cause !== undefined && isOfDatabase(cause)
    && message.includes(String(propertyOf(cause, 'message')))
  return isRepeated ? cause : undefined
}

/** Returns the text that was found, and that more followed. */
function withMark(found: RegExpExecArray | null): string | undefined {
  return found === null ? undefined : `${found[0]}:`
}

/** Names of errors that have the message of a driver, and do not tell whose text it is. */
const ADAPTED = new Set(['DriverFailure', 'DriverAdapterError', 'PrismaClientUnknownRequestError'])

function isRaised(loose: Loose, message: string): boolean {
  const { name, routine, number, meta } = loose
  if (isOfPostgres(loose)) return typeof routine !== 'string' || RAISING.test(routine)
  if (isOfSqlServer(loose)) return Number(number) >= OF_USERS
  const adapted = propertyOf(propertyOf(propertyOf(meta, 'driverAdapterError'), 'cause'), 'originalMessage')
  const isAdapted = typeof adapted === 'string' && !/^\s*Invalid `/.test(message)
  return isAdapted || ADAPTED.has(String(name))
}

function isOfConstraint(loose: Loose): boolean {
  const { code, errcode } = loose
  return isOfSqlite(loose) && (String(code).startsWith('SQLITE_CONSTRAINT') || (Number(errcode) & 0xff) === 19)
}

/** Returns the lines of a stack trace after the message, which the stack repeats. */
function framesOf({ stack }: Error): string[] {
  const lines = typeof stack === 'string' ? stack.split('\n') : []
  const last = lines.findLastIndex((line) => !/^ {4}at .*(?:\)|:\d+:\d+|<anonymous>|native)$/.test(line))
  return lines.slice(last + 1)
}
