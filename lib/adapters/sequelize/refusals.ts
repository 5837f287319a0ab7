import { ConflictError, messageOf, type Message } from '../../core/index.js'
import { CheckViolation, NotNullViolation } from '../../crud/contract/index.js'
import type { Model } from './library.js'

/** An error of the validation of a model. */
interface Fault {
  readonly message: string
  readonly type: string
  readonly path: string
  readonly validatorKey?: string
  /** Absent for a validator that is a function of the application. */
  readonly validatorName?: string | null
  /** The record, of another model where a hook of this one writes it. */
  readonly instance?: object | null
}

const NOT_NULL = 'notNull Violation'

/**
 * Runs a write, and converts errors of the model's validators into the errors of a store. The `msg` of a validator is
 * sent to clients.
 *
 * @throws NotNullViolation, CheckViolation, ConflictError
 */
export async function refusals<T>(fields: object, model: Model, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    throw refusalOf(firstOf(error) as Thrown, fields, model)
  }
}

/** Returns the error of a store for one of the model's validators, and any other error as it is. */
function refusalOf(cause: Thrown, fields: object, model: Model): unknown {
  const { name, errors = [] } = cause
  if (isStale(cause, model)) return new ConflictError(undefined, { cause })
  if (name !== 'SequelizeValidationError' || errors.some((fault) => isOfAnother(fault, model))) return cause
  const messages: Record<string, (string | Message)[]> = {}
  for (const fault of errors) {
    // Only columns that were written are named to a client.
    const field = Object.hasOwn(fields, fault.path) ? fault.path : '_'
    messages[field] = [...messages[field] ?? [], messageFor(fault)]
  }
  const Violation = errors.every(({ type }) => type === NOT_NULL) ? NotNullViolation : CheckViolation
  return new Violation(messages, { columns: errors.map(({ path }) => path), cause })
}

interface Thrown {
  readonly name: string
  readonly modelName?: string
  readonly errors?: readonly Fault[]
}

/** True for a record of this model whose version has changed since it was read. */
function isStale({ name, modelName }: Thrown, model: Model): boolean {
  return name === 'SequelizeOptimisticLockError' && (modelName === undefined || modelName === model.name)
}

function isOfAnother({ instance }: Fault, { prototype }: Model): boolean {
  return typeof instance === 'object' && instance !== null && !Object.prototype.isPrototypeOf.call(prototype, instance)
}

/** Returns the first error of a bulk creation that validators refuse, and any other error as it is. */
function firstOf(error: unknown): unknown {
  const { name, errors: [record] = [] } = error as { name?: unknown; errors?: readonly { readonly errors?: unknown }[] }
  return name === 'AggregateError' ? record?.errors ?? error : error
}

function messageFor({ message, type, path, validatorKey = '', validatorName }: Fault): string | Message {
  if (type === NOT_NULL) return messageOf('field.required')
  const isOwn = typeof validatorName === 'string' && message !== `Validation ${validatorKey} on ${path} failed`
  return isOwn ? message : messageOf('field.refused')
}
