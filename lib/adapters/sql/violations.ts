import { HttpError, messageOf, UnavailableError, type Message } from '../../core/index.js'
import { CheckViolation, ColumnViolation, DeferredViolation, ForeignKeyViolation, NotNullViolation, UniqueViolation,
  type Violated } from '../../crud/contract/index.js'
import { asDriverError, isDown, isUndone, type DriverError } from './driver-errors.js'

/* Codes and sentences of violated constraints and of values that do not fit, of the kinds in `driver-errors.ts`. */

type ConstraintKind = 'unique' | 'reference' | 'null' | 'check'

/** Values by the codes that they are for, and by the words of SQLite. */
type ByCode<T> = readonly (readonly [codes: RegExp, value: T])[]

const KINDS: ByCode<ConstraintKind> = [
  [/^(?:23505|23P01|ER_DUP_ENTRY|ER_DUP_ENTRY_WITH_KEY_NAME|UNIQUE|PRIMARY KEY)$/, 'unique'],
  [/^(?:23503|23001|ER_ROW_IS_REFERENCED(?:_2)?|ER_NO_REFERENCED_ROW(?:_2)?|FOREIGN KEY)$/, 'reference'],
  [/^(?:23502|ER_BAD_NULL_ERROR|ER_NO_DEFAULT_FOR_FIELD|NOT NULL)$/, 'null'],
  [/^(?:23514|ER_CONSTRAINT_FAILED|ER_CHECK_CONSTRAINT_VIOLATED|CHECK)$/, 'check'],
]

const REQUIRED = messageOf('field.required')
const REFUSED = messageOf('field.refused')

/**
 * The messages to clients for values that their column does not take. All of PostgreSQL's class 22 is about a value.
 */
const MISFITS: ByCode<Message> = [
  [/^(?:22001|ER_DATA_TOO_LONG)$/, messageOf('field.too_long')],
  [/^(?:22003|ER_WARN_DATA_OUT_OF_RANGE|ER_DATA_OUT_OF_RANGE)$/, messageOf('field.out_of_range')],
  [/^(?:22\w{3}|WARN_DATA_TRUNCATED|ER_INVALID_CHARACTER_STRING)$/, messageOf('field.unreadable')],
  [/^(?:ER_TRUNCATED_WRONG_VALUE(?:_FOR_FIELD)?|ER_WRONG_VALUE(?:_FOR_TYPE)?)$/, messageOf('field.unreadable')],
]

function byCode<T>(table: ByCode<T>, code: string): T | undefined {
  return table.find(([codes]) => codes.test(code))?.[1]
}

/** Some libraries put the statement in front of the message, with the values of the caller. */
const SQLITE_CONSTRAINT =
  /^(?:.* - )?(?:[\w ]+: )*(UNIQUE|FOREIGN KEY|PRIMARY KEY|CHECK|NOT NULL) constraint failed(?:: (.+))?$/s

/** Looks up names of the written table: the fields of a constraint or an index, and the field of a column. */
export interface Names {
  readonly constraintFields: (constraint: string) => readonly string[] | undefined
  readonly field: (column: string) => string
  /**
   * True if an error that names this table or these columns is about a row of another table, such as one that a trigger
   * writes.
   */
  readonly isElsewhere?: (table: string | undefined, columns: readonly string[]) => boolean
}

const NO_NAMES: Names = { constraintFields: () => undefined, field: (column) => column }

/**
 * Converts an error of a driver into an error with a status if the contract of a store names its kind; returns any
 * other error unchanged, and one about a row of another table.
 */
export function toStoreError(cause: unknown, fields: object = {}, names: Names = NO_NAMES): unknown {
  const outage = toOutage(cause)
  if (outage !== cause || cause instanceof HttpError) return outage
  const error = asDriverError(cause)
  return violationOf(error, { cause, fields, names }) ?? misfitOf(error, { cause, fields, names }) ?? cause
}

/**
 * Converts the error of a commit, which checks what was deferred, likewise; a violation by a row of another table that
 * the error names becomes a {@link DeferredViolation}.
 */
export function toCommitError(cause: unknown, names?: Names): unknown {
  const error = toStoreError(cause, {}, names)
  const { table } = asDriverError(cause)
  if (error !== cause || typeof table !== 'string') return error
  const violation = toStoreError(cause)
  return violation instanceof HttpError ? new DeferredViolation(table, violation) : error
}

interface Failed {
  readonly cause: unknown
  readonly fields: object
  readonly names: Names
}

/** Converts the error of a database that is down or has undone a statement; returns any other error unchanged. */
export function toOutage(cause: unknown): unknown {
  if (cause instanceof HttpError || typeof cause !== 'object' || cause === null) return cause
  return isUndone(cause) || isDown(cause) ? new UnavailableError('The database gave no answer', { cause }) : cause
}

const VIOLATIONS: Readonly<Record<ConstraintKind, (violated: Violated, fields: object) => Error>> = {
  unique: (violated) => new UniqueViolation(violated),
  reference: (violated) => new ForeignKeyViolation(violated),
  null: (violated, fields) => new NotNullViolation(blame(REQUIRED, violated.columns, fields), violated),
  check: (violated, fields) => new CheckViolation(blame(REFUSED, violated.columns, fields), violated),
}

function violationOf(error: DriverError, { cause, fields, names }: Failed): Error | undefined {
  const message = String(error.message)
  const [, sentence, blamed = ''] = SQLITE_CONSTRAINT.exec(message) ?? []
  const kind = MARIADB_CHECK.test(message) ? 'check' : byCode(KINDS, sentence ?? String(error.code))
  if (kind === undefined) return undefined
  const named = sentence === undefined ? columnsNamedBy(error) : columnsNamedBySqlite(kind, blamed)
  // Rows that refer to a deleted one are in other tables.
  const isReferred = kind === 'reference' && !REFERRING.test(message)
  if (!isReferred && isElsewhere(named, names)) return undefined
  return VIOLATIONS[kind]({ columns: fieldsOf(named, names), constraint: named.constraint, cause }, fields)
}

function fieldsOf({ columns, constraint }: Named, names: Names): readonly string[] | undefined {
  return columns?.map(names.field) ?? (constraint === undefined ? undefined : names.constraintFields(constraint))
}

function misfitOf(error: DriverError, { cause, fields, names }: Failed): Error | undefined {
  const message = byCode(MISFITS, String(error.code))
  if (message === undefined) return undefined
  const named = columnsNamedBy(error)
  if (NESTED.test(String(error.where)) || isElsewhere(named, names)) return undefined
  const blamed = named.columns?.map(names.field) ?? fieldsAtFault(error, fields)
  return new ColumnViolation(blame(message, blamed, fields), { columns: blamed, cause })
}

/**
 * PostgreSQL names no column of a value that does not fit, but the value itself, the length of the column, or the power
 * of ten that a decimal must stay below.
 */
const VALUE = /"(.*)"/s
const LENGTH = /^value too long for type character(?: varying)?\((\d+)\)$/
const POWER = /must round to an absolute value less than 10\^(\d+)\.$/

/** Returns the fields of the value that an error of PostgreSQL is about, `undefined` where several may be. */
function fieldsAtFault({ message, detail }: DriverError, fields: object): readonly string[] | undefined {
  const [, text] = VALUE.exec(String(message)) ?? []
  const [, length] = LENGTH.exec(String(message)) ?? []
  const [, power] = POWER.exec(String(detail)) ?? []
  const isAtFault = (value: unknown): boolean => {
    if (length !== undefined) return typeof value === 'string' && Array.from(value).length > Number(length)
    if (value instanceof Date) return text !== undefined && Date.parse(text) === value.getTime()
    const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint'
    if (power !== undefined) return isScalar && Math.round(Math.abs(Number(value))) >= 10 ** Number(power)
    return isScalar && String(value) === text
  }
  const all: [string, unknown][] = Object.entries(fields)
  const found = all.filter(([, value]) => isAtFault(value))
  const isCertain = found.length === 1 || (text !== undefined && found.length > 0)
  const blamed = isCertain ? found : all
  return isCertain || all.length === 1 ? blamed.map(([name]) => name) : undefined
}

function isElsewhere({ table, columns = [] }: Named, names: Names): boolean {
  return names.isElsewhere?.(table, columns) === true
}

interface Named extends Violated {
  readonly table?: string | undefined
}

/** PostgreSQL names columns and constraint apart from its message; MySQL and MariaDB name them in the message. */
function columnsNamedBy({ column, constraint, detail, message, table }: DriverError): Named {
  const name = typeof column === 'string' ? column : firstOf(COLUMN, message)
  const key = typeof constraint === 'string' ? constraint : firstOf(CONSTRAINT, message)
  const [, listed] = /^Key \(([\w", ]+)\)=(?!.* is still referenced )/s.exec(String(detail)) ?? []
  return {
    columns: name === undefined ? listed?.split(', ').map((each) => each.replaceAll('"', '')) : [name],
    constraint: key,
    table: typeof table === 'string' ? table : firstOf(TABLE, message),
  }
}

function firstOf(pattern: RegExp, message: unknown): string | undefined {
  const [, ...groups]: (string | undefined)[] = pattern.exec(String(message)) ?? []
  return groups.find((group) => group !== undefined)
}

/* The messages hold values of the caller: only their beginning and their end are the server's. */
const COLUMN = /^(?:Column|Field) '([^']+)'|for column [`'](?:[^`']+`\.`)*([^`']+)[`'] at row \d+$/
/** Error 4025, which mysql2 calls by the name that the number has in MySQL. */
const MARIADB_CHECK = /^CONSTRAINT `[^`]+` failed for `/
/** A row that refers to one that does not exist. */
const REFERRING = /^(?:insert or update on table |Cannot add or update a child row)/
/** A statement of a trigger's or a function's. */
const NESTED = /^SQL statement "\s*(?:insert|update|delete|merge|with)\b/im
const TABLE = new RegExp([
  /^null value in column ".+" of relation "([^"]+)" violates /,
  /^new row for relation "([^"]+)" violates /,
  /^insert or update on table "([^"]+)" violates /,
  /^Cannot add or update a child row: a foreign key constraint fails \(`[^`]+`\.`([^`]+)`/,
  /^CONSTRAINT `[^`]+` failed for `[^`]+`\.`([^`]+)`$/,
  / for key '(\w+)\.[^']+'$/,
  / for column `[^`]+`\.`([^`]+)`\.`[^`]+` at row \d+$/,
].map(({ source }) => source).join('|'))
const CONSTRAINT = new RegExp([
  / for key '(?:\w+\.)?([^']+)'$/,
  /^CONSTRAINT `(?:\w+\.)?([^`]+)`/,
  /^Check constraint '([^']+)'/,
  /^Cannot (?:add|delete) .* CONSTRAINT `([^`]+)` FOREIGN KEY/,
].map(({ source }) => source).join('|'))

/**
 * `UNIQUE constraint failed: users.email, users.tenant`, or `index 'users_lower'`; of a CHECK its name or its
 * expression.
 */
function columnsNamedBySqlite(kind: ConstraintKind, blamed: string): Named {
  if (kind === 'check') return { constraint: blamed }
  const [, index] = /^index '(.+)'$/.exec(blamed) ?? []
  if (index !== undefined) return { constraint: index }
  if (blamed === '') return {}
  const [, table] = /^([^,]+)\.[^.,]+(?:,|$)/.exec(blamed) ?? []
  return { table, columns: blamed.split(', ').map((column) => column.replace(/^.*\./, '')) }
}

/** Names only columns that were written: the names of others are not for the client. */
function blame(
  message: Message,
  columns: readonly string[] | undefined,
  fields: object,
): Record<string, readonly Message[]> {
  const written = columns?.filter((column) => Object.hasOwn(fields, column)) ?? []
  return Object.fromEntries((written.length === 0 ? ['_'] : written).map((column) => [column, [message]]))
}
