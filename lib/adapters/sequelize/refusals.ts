import { ConflictError } from '../../core/index.js'
import { CheckViolation, NotNullViolation } from '../../crud/contract/index.js'

/** An error of the validation of a model. */
interface Fault {
  readonly message: string
  readonly type: string
  readonly path: string
  readonly validatorKey?: string
  /** Absent for a validator that is a function of the application. */
  readonly validatorName?: string | null
}

const NOT_NULL = 'notNull Violation'

/**
 * Runs a write, and converts errors of the model's validators into the errors of a store. The `msg` of a validator is
 * sent to clients.
 *
 * @throws NotNullViolation, CheckViolation, ConflictError
 */
export async function refusals<T>(fields: object, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    const cause = firstOf(error)
    const { name, errors = [] } = cause as { readonly name: string; readonly errors?: readonly Fault[] }
    if (name === 'SequelizeOptimisticLockError') throw new ConflictError(undefined, { cause })
    if (name !== 'SequelizeValidationError') throw cause
    const messages: Record<string, string[]> = {}
    for (const fault of errors) {
      // Only columns that were written are named to a client.
      const field = Object.hasOwn(fields, fault.path) ? fault.path : '_'
      messages[field] = [...messages[field] ?? [], messageOf(fault)]
    }
    const Violation = errors.every(({ type }) => type === NOT_NULL) ? NotNullViolation : CheckViolation
    throw new Violation(messages, { columns: errors.map(({ path }) => path), cause })
  }
}

/** Returns the first error of a bulk creation that validators refuse, and any other error as it is. */
function firstOf(error: unknown): unknown {
  const { name, errors: [record] = [] } = error as { name?: unknown; errors?: readonly { readonly errors?: unknown }[] }
  return name === 'AggregateError' ? record?.errors ?? error : error
}

function messageOf({ message, type, path, validatorKey = '', validatorName }: Fault): string {
  if (type === NOT_NULL) return 'Must be given'
  const isOwn = typeof validatorName === 'string' && message !== `Validation ${validatorKey} on ${path} failed`
  return isOwn ? message : 'Is not allowed'
}
