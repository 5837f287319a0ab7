import { ConflictError, HttpError, messageOf, MisuseError, type Message } from '../../core/index.js'
import { CheckViolation, ColumnViolation, NotNullViolation, UniqueViolation } from '../../crud/contract/index.js'
import { driverFailure } from '../sql/driver-errors.js'
import { KEY, type Model } from './library.js'

/*
 * Converts errors of mongoose and its driver to errors of a store, or with a code that `sql/violations.ts` or
 * `sql/driver-errors.ts` knows.
 */

interface Thrown {
  readonly name?: string
  readonly code?: unknown
  readonly message?: string
  readonly keyPattern?: Readonly<Record<string, unknown>>
  readonly errors?: Readonly<Record<string, Fault>>
  /** Of a validation: `Post validation failed`. */
  readonly _message?: string
  readonly originalError?: Thrown
  hasErrorLabel?(label: string): boolean
}

/** The result of a validation for one path. */
interface Fault {
  readonly name: string
  readonly kind?: string
}

/**
 * Runs a mongoose call that writes these fields, and throws its errors as those of a store. What middleware of the
 * schema violates in another collection is thrown as it is.
 */
export async function asStored<T>(fields: object, model: Model, call: () => PromiseLike<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw failureOf(error, fields, model)
  }
}

function failureOf(error: unknown, fields: object, model: Model): unknown {
  if (error instanceof HttpError || error instanceof MisuseError) return error
  const thrown = Object(error) as Thrown
  if (isOfAnother(thrown, model)) return error
  const { name, code, errors } = thrown
  if (code === DUPLICATE) return uniqueViolationOf(thrown, error)
  if (name === 'ValidationError' && errors !== undefined) return validationErrorOf(errors, fields, error)
  if (name === 'VersionError') return new ConflictError(undefined, { cause: error })
  if (isWithoutTransactions(thrown)) return noReplicaSet()
  const failureCode = codeOf(thrown)
  return failureCode === undefined ? error : driverFailure(failureCode, String(thrown.message), error)
}

/** True for a document of another model: its validation names that, its unique index has paths of that. */
function isOfAnother({ _message, keyPattern = {} }: Thrown, model: Model): boolean {
  const { modelName, schema, discriminators = {} } = model
  const [, validated = modelName] = /^(.+) validation failed$/.exec(String(_message)) ?? []
  const paths = new Set(Object.keys(schema.paths).map(topOf))
  return (validated !== modelName && !Object.hasOwn(discriminators, validated))
    || Object.keys(keyPattern).some((path) => !paths.has(topOf(path)))
}

function topOf(path: string): string {
  return path.split('.')[0] ?? path
}

function uniqueViolationOf({ message, keyPattern = {} }: Thrown, cause: unknown): UniqueViolation {
  const [, constraint] = / index: (\S+) dup key/.exec(String(message)) ?? []
  return new UniqueViolation({ columns: Object.keys(keyPattern).map(nameOf), constraint, cause })
}

const DUPLICATE = 11_000
const NO_TRANSACTIONS = 20

/** True for the answer of a server alone, which the driver may wrap in advice of its own. */
function isWithoutTransactions({ code, message, originalError }: Thrown): boolean {
  if (originalError !== undefined) return isWithoutTransactions(originalError)
  return code === NO_TRANSACTIONS && String(message).startsWith('Transaction numbers')
}

function noReplicaSet(): MisuseError {
  const problem = 'the server is no replica set, so it has no transactions'
  const remedy = 'start it with --replSet, one node is enough, and call rs.initiate() once'
  return new MisuseError('mongoose_transactions', `mongooseStore: ${problem}: ${remedy}.`)
}

/** https://github.com/mongodb/mongo/blob/master/src/mongo/base/error_codes.yml */
const UNDONE = new Set<unknown>([112, 251])
const DOWN = new Set<unknown>([6, 7, 50, 89, 91, 189, 262, 9001, 10_107, 11_600, 11_602, 13_435, 13_436])
const NETWORK = /^Mongo(?:Network|ServerSelection|Pool|NotConnected|WaitQueueTimeout|TopologyClosed)/

function codeOf(thrown: Thrown): string | undefined {
  // The transaction may have been committed, so it is not repeated.
  if (thrown.hasErrorLabel?.('UnknownTransactionCommitResult') === true) return 'ECONNRESET'
  if (thrown.hasErrorLabel?.('TransientTransactionError') === true || UNDONE.has(thrown.code)) return '40001'
  if (DOWN.has(thrown.code) || NETWORK.test(String(thrown.name))) return 'ECONNRESET'
  const isBuffered = thrown.name === 'MongooseError' && String(thrown.message).includes(' buffering timed out ')
  return isBuffered ? 'ECONNRESET' : undefined
}

/** Converts what the schema refuses; only columns that were written are named to a client. */
function validationErrorOf(faults: Readonly<Record<string, Fault>>, fields: object, cause: unknown): Error {
  const messages: Record<string, Message[]> = {}
  for (const [path, fault] of Object.entries(faults)) {
    const [name = ''] = path.split('.').map(nameOf)
    const blamed = Object.hasOwn(fields, name) ? name : '_'
    messages[blamed] = [...messages[blamed] ?? [], messageFor(fault)]
  }
  const columns = [...new Set(Object.keys(faults).map((path) => nameOf(path.split('.')[0] ?? '')))]
  const all = Object.values(faults)
  if (all.some(({ name }) => name === 'CastError')) return new ColumnViolation(messages, { columns, cause })
  const Violation = all.every(({ kind }) => kind === 'required') ? NotNullViolation : CheckViolation
  return new Violation(messages, { columns, cause })
}

function messageFor({ name, kind }: Fault): Message {
  if (name === 'CastError') return messageOf('field.unreadable')
  if (kind === 'required') return messageOf('field.required')
  return messageOf(kind === 'maxlength' ? 'field.too_long' : 'field.refused')
}

function nameOf(path: string): string {
  return path === '_id' ? KEY : path
}
