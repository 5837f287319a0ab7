import { ConflictError, HttpError, isThenable, messageOf, messagesOf, stateOf, ValidationError,
  type Message } from '../../core/index.js'
import { isCallable } from '../contract/checks.js'
import { CheckViolation, ColumnViolation, ForeignKeyViolation, UniqueViolation } from '../contract/violations.js'
import type { Call } from './feature.js'
import type { ConflictOptions } from './options.js'
import type { AnyOptions, Row } from './any-resource.js'

/** The part of a write that the caller is responsible for: an error names only fields of this part. */
export interface CallerPart {
  readonly mayWrite: (field: string) => boolean
  /** The fields that the caller sent, or that the action writes for the caller. */
  readonly sent: Row
}

/** The part of a caller that sends no field. */
export const NO_FIELDS: CallerPart = { mayWrite: () => false, sent: {} }

/**
 * Runs a write of the store. A constraint that it violates is reported by fields that the caller may write; of a unique
 * value, may read too.
 *
 * @throws ConflictError naming the fields of a unique constraint, or the field that `conflicts` gives a foreign key,
 * where they may be shown; its message is that of the field, or the one that `conflicts` gives a constraint.
 * @throws ValidationError naming fields whose columns do not take their values.
 * @throws HttpError 500 where the columns at fault are all columns that the caller cannot write.
 */
export async function reportingViolations<T>(call: Call, part: CallerPart, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    const isConflict = error instanceof UniqueViolation || error instanceof ForeignKeyViolation
    if (isConflict) throw await toConflict(call, part, error)
    if (error instanceof CheckViolation) throw toDeclaredFault(call, part, error)
    throw error instanceof ValidationError ? toCallerFault(call, part, error) : error
  }
}

/** Returns the violation of a CHECK constraint with the field and the message that `conflicts` gives it. */
function toDeclaredFault(call: Call, part: CallerPart, cause: CheckViolation): HttpError {
  const declared = declaredConflict(call.plan.options.conflicts ?? {}, cause)
  if (declared === undefined) return toCallerFault(call, part, cause)
  const { field, message } = declared
  const messages = [message ?? messageOf('field.refused')]
  return field === undefined
    ? new ValidationError({ _: messages }, undefined, { cause })
    : toCallerFault(call, part, new CheckViolation({ [field]: messages }, { columns: [field], cause }))
}

async function toConflict(
  call: Call,
  { mayWrite, sent }: CallerPart,
  violation: UniqueViolation | ForeignKeyViolation,
): Promise<ConflictError> {
  const { options, schemas } = call.plan
  const { field, message } = declaredConflict(options.conflicts ?? {}, violation) ?? {}
  if (field === undefined && message !== undefined) return new ConflictError(message, { cause: violation })
  const columns = field === undefined ? columnsOf(violation) : [field]
  const hidden = await call.denied('read')
  const mayName = (name: string): boolean =>
    Object.hasOwn(sent, name) && mayWrite(name) && Object.hasOwn(schemas.output.shape, name) && !hidden.has(name)
  const fields = columns.filter(mayName)
  if (fields.length === 0) return violation
  const text = message
    ?? messageOf(violation instanceof UniqueViolation ? 'field.taken' : 'field.reference_unknown')
  return new ConflictError(text, {
    reason: violation.reason,
    fields: Object.fromEntries(fields.map((name) => [name, [text]])),
    cause: violation,
  })
}

/** Returns the columns that a conflict is about; a foreign key may be that of another table. */
function columnsOf(violation: UniqueViolation | ForeignKeyViolation): readonly string[] {
  return violation instanceof UniqueViolation ? violation.columns ?? [] : []
}

/**
 * Returns the entry of `conflicts` for a constraint; where the store cannot name a unique one, the only one with a
 * field among its columns.
 */
function declaredConflict(
  conflicts: Readonly<Record<string, ConflictOptions>>,
  violation: UniqueViolation | ForeignKeyViolation | CheckViolation,
): ConflictOptions | undefined {
  const { constraint, columns } = violation
  if (constraint !== undefined && Object.hasOwn(conflicts, constraint)) return conflicts[constraint]
  if (constraint !== undefined || columns === undefined || !(violation instanceof UniqueViolation)) return undefined
  const [only, ...others] = Object.values(conflicts).filter(({ field = '' }) => columns.includes(field))
  return others.length === 0 || columns.length === 1 ? only : undefined
}

function toCallerFault({ req }: Call, { mayWrite, sent }: CallerPart, error: ValidationError): HttpError {
  const named = error instanceof ColumnViolation && error.columns !== undefined
    ? error.columns
    : Object.keys(error.fields).filter((field) => field !== '_')
  // Where the store cannot name a column, one of those that were sent may be at fault.
  const isUnknown = named.length === 0 && Object.keys(sent).some(mayWrite)
  if (isUnknown) return error
  const writable = named.filter(mayWrite)
  if (writable.length > 0) {
    return new ValidationError(Object.fromEntries(writable.map((field) => [field, messagesFor(error, field)])),
      undefined, {
      cause: error,
    })
  }
  const columns = named.map((name) => `\`${name}\``).join(', ') || 'a column'
  return new HttpError(
    500,
    `${stateOf(req).route?.name ?? 'The resource'} wrote a value that ${columns} does not accept, `
      + 'and the caller cannot write it',
    { cause: error },
  )
}

function messagesFor({ fields }: ValidationError, field: string): readonly (string | Message)[] {
  const messages = messagesOf(fields)
  return messages[field] ?? Object.values(messages)[0] ?? [messageOf('field.invalid')]
}

/*
 * Only a violation by the written row is the fault of the caller. A statement of a hook may violate a constraint of any
 * table too: that is a fault of the application, and is logged.
 */

/** Returns the options with callbacks whose violations are faults of the application. */
export function withApplicationFaults(options: AnyOptions): AnyOptions {
  const { before, after, check, transform, transformMany } = options
  return {
    ...options,
    ...(before && { before: guardHooks('before', before) }),
    ...(after && { after: guardHooks('after', after) }),
    ...(check && { check: reportingFaults('check', check, notARefusal) }),
    ...(transform && { transform: reportingFaults('transform', transform) }),
    ...(transformMany && { transformMany: reportingFaults('transformMany', transformMany) }),
  }
}

/** The hooks whose results are columns, and are checked where they are used. */
const RETURN_COLUMNS = new Set(['before.create', 'before.createMany', 'before.edit', 'before.store'])

function guardHooks<Hooks extends object>(when: 'before' | 'after', hooks: Hooks): Hooks {
  const entries: readonly (readonly [string, unknown])[] = Object.entries(hooks)
  const guarded = entries.map(([action, hook]) => {
    const name = `${when}.${action}`
    const mayRefuse = when === 'before' && !RETURN_COLUMNS.has(name)
    return [action, reportingFaults(name, hook, mayRefuse ? notARefusal : notAnError)]
  })
  return Object.fromEntries(guarded) as Hooks
}

/**
 * Makes a callback that throws the same errors, except that a violation is an HttpError 500; an error that it returns
 * is refused. Anything but a function is returned as it is.
 *
 * @param name of the callback, for the log
 * @param checkResult refuses results that would let the action go on
 */
export function reportingFaults<T>(name: string, callback: T, checkResult = notAnError): T {
  if (!isCallable(callback)) return callback
  const run = (...args: readonly unknown[]): unknown => {
    try {
      const result = callback(...args)
      if (!isThenable(result)) return checkResult(name, result)
      return Promise.resolve(result).then((settled) => checkResult(name, settled))
        .catch((error: unknown) => fail(name, error))
    } catch (error) {
      return fail(name, error)
    }
  }
  return run as T
}

/** Returns a result that is no error: one that is returned in place of thrown would let the action go on. */
function notAnError(name: string, result: unknown): unknown {
  if (!(result instanceof Error)) return result
  throw new Error(`\`${name}\` of crud returned an error. Throw it: \`throw new ForbiddenError()\`.`, { cause: result })
}

/** Returns a result that is neither an error nor `false`, which would let the action go on too. */
function notARefusal(name: string, result: unknown): unknown {
  if (result !== false) return notAnError(name, result)
  throw new Error(`\`${name}\` of crud returned false. To refuse, throw an error: \`throw new ForbiddenError()\`.`)
}

/** @throws the error, or an HttpError 500 in place of a violation. */
function fail(name: string, error: unknown): never {
  const isViolation = error instanceof UniqueViolation || error instanceof ForeignKeyViolation
    || error instanceof ColumnViolation
  if (!isViolation) throw error
  throw new HttpError(500, `A statement of \`${name}\` has violated a constraint of the database`, { cause: error })
}
