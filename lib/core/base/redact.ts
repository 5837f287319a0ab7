import { isNativeError } from 'node:util/types'

/*
 * The errors of databases for a log. Drivers and libraries put the values that a statement binds into their messages
 * and properties: `Key (email)=(a@b) already exists`, `params`, `sql`, `keyValue`.
 */

/**
 * Returns an error as it may be logged: in place of each error of a database, also as a `cause` or inside a list of
 * errors, a copy without values and SQL. Every other error is returned as it is.
 */
export function redactError(error: unknown): unknown {
  try {
    return redact(error, new Map())
  } catch {
    return error // a getter that throws, or a Proxy: no error of a database
  }
}

/** The copies of errors, which may contain one another. */
type Copies = Map<object, unknown>

function redact(value: unknown, copies: Copies): unknown {
  if (!leadsToDatabase(value, new Set())) return value
  if (Array.isArray(value)) return value.map((item) => redact(item, copies))
  const error = value as Error
  return copies.get(error) ?? (isOfDatabase(error) ? withoutValues(error, copies) : withRedactedParts(error, copies))
}

function leadsToDatabase(value: unknown, seen: Set<unknown>): boolean {
  if (seen.has(value)) return false
  if (Array.isArray(value)) return value.some((item) => leadsToDatabase(item, seen))
  if (!isError(value)) return false
  seen.add(value)
  return isOfDatabase(value)
    || Object.values(Object.getOwnPropertyDescriptors(value)).some((part) => leadsToDatabase(part.value, seen))
}

function isError(value: unknown): value is Error {
  return isNativeError(value) || value instanceof Error
}

/** Returns an error of the application, with copies of the database errors that it refers to. */
function withRedactedParts(error: Error, copies: Copies): Error {
  const parts = Object.getOwnPropertyDescriptors(error) as Record<string, PropertyDescriptor>
  const copy = Object.create(Object.getPrototypeOf(error) as object) as Error
  copies.set(error, copy)
  for (const part of Object.values(parts)) if ('value' in part) part.value = redact(part.value, copies)
  return Object.defineProperties(copy, parts)
}

/** Names of the classes of drivers and libraries whose errors repeat values. */
// dprint-ignore
const NAMES = new Set([
  'PostgresError', 'SqliteError', 'LibsqlError', 'DrizzleQueryError', 'QueryFailedError', 'EntityNotFoundError',
  'DriverAdapterError', 'MongooseError', 'MongoError', 'DriverFailure',
])
const PREFIXES = /^(?:Sequelize|PrismaClient)/

type Loose = Readonly<Record<string, unknown>>

/** The shapes of errors of drivers and libraries; a bundler may have shortened the names of their classes. */
const SHAPES: readonly ((error: Loose, has: (...names: readonly string[]) => boolean) => boolean)[] = [
  ({ severity, code }) => typeof severity === 'string' && /^[0-9A-Z]{5}$/.test(String(code)), // PostgreSQL
  ({ sqlState }) => typeof sqlState === 'string', // MySQL, MariaDB
  ({ code }) => /^(?:SQLITE_|ERR_SQLITE)/.test(String(code)),
  ({ number, lineNumber }) => typeof number === 'number' && typeof lineNumber === 'number', // SQL Server
  ({ query, message }, has) =>
    typeof query === 'string' && (has('driverError') || String(message).startsWith('Failed query:')),
  ({ sql }, has) => typeof sql === 'string' && has('errno', 'sqlMessage', 'original', 'bindings'),
]

function isOfDatabase(error: Error): boolean {
  const has = (...names: readonly string[]): boolean => names.some((name) => name in error)
  return SHAPES.some((fits) => fits(error as unknown as Loose, has))
    || namesOf(error).some((name) => NAMES.has(name) || PREFIXES.test(name))
}

/** Returns the names of an error and of its classes. */
function namesOf(error: Error): string[] {
  const names = [error.name]
  for (
    let prototype = Object.getPrototypeOf(error) as object | null;
    prototype !== null && prototype !== Error.prototype;
    prototype = Object.getPrototypeOf(prototype) as object | null
  ) {
    names.push(String((prototype as { readonly constructor?: { readonly name?: unknown } }).constructor?.name))
  }
  return names
}

/** Properties that name parts of the database, or a kind of error. */
// dprint-ignore
const KEPT = [
  'code', 'errno', 'sqlState', 'severity', 'schema', 'table', 'column', 'constraint', 'dataType', 'routine', 'codeName',
  'number', 'clientVersion',
]
/** Properties by which libraries refer to the error of the driver. */
const CAUSES = ['cause', 'original', 'parent', 'driverError']

function withoutValues(error: Error, copies: Copies): Error {
  const loose = error as unknown as Loose
  const copy = new Error(messageWithoutValues(error))
  copies.set(error, copy)
  Object.defineProperty(copy, 'name', { value: error.name, configurable: true, writable: true })
  copy.stack = [`${error.name}: ${copy.message}`, ...framesOf(error)].join('\n')
  for (const name of KEPT) {
    const value = loose[name]
    if (isNameOrNumber(value)) Object.assign(copy, { [name]: value })
  }
  const cause = CAUSES.map((name) => loose[name]).find(isError)
  if (cause !== undefined) Object.defineProperty(copy, 'cause', { value: redact(cause, copies), configurable: true })
  return copy
}

function isNameOrNumber(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^[\w.$ -]{1,128}$/.test(value))
}

const REDACTED = '… (values redacted)'

/** Codes of errors whose text is written in a trigger or a function of the database. */
const RAISED = new Set(['P0001', '45000', 'SQLITE_CONSTRAINT_TRIGGER'])

/** Where the first name or value of a message may begin. */
const BEGIN = /["'`´“({[<:=@$]|(?<=\s)[-+]?\d|\n/

/** Returns the beginning of a message, up to the first name or value. */
function messageWithoutValues(error: Error): string {
  const { message, code, sqlState } = error as unknown as Loose
  if (typeof message !== 'string' || RAISED.has(String(code)) || RAISED.has(String(sqlState))) return REDACTED.slice(2)
  const text = message.trim()
  const end = text.search(BEGIN)
  return end === -1 ? text : `${text.slice(0, end).trimEnd()}${REDACTED}`
}

/** Returns the lines of a stack trace after the message, which the stack repeats. */
function framesOf({ stack }: Error): string[] {
  const lines = typeof stack === 'string' ? stack.split('\n') : []
  const last = lines.findLastIndex((line) => !/^ {4}at .*(?:\)|:\d+:\d+|<anonymous>|native)$/.test(line))
  return lines.slice(last + 1)
}
