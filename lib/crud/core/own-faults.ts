import { HttpError, isThenable } from '../../core/index.js'
import { ColumnViolation, ForeignKeyViolation, UniqueViolation } from '../contract/store.js'
import type { AnyOptions } from './options.js'

/*
 * Only a violation by the written row is the caller's. A statement of a hook may violate a constraint too, of whatever
 * table: that is a fault of the application, for its log.
 */

type Callback = (...args: never[]) => unknown

/** Returns the options with callbacks whose violations are faults of the application. */
export function withOwnFaults(options: AnyOptions): AnyOptions {
  const { before, after, check, transform, transformMany } = options
  return {
    ...options,
    ...(before && { before: guardHooks('before', before) }),
    ...(after && { after: guardHooks('after', after) }),
    ...(check && { check: reportingFaults('check', check) }),
    ...(transform && { transform: reportingFaults('transform', transform) }),
    ...(transformMany && { transformMany: reportingFaults('transformMany', transformMany) }),
  }
}

function guardHooks<Hooks extends object>(when: string, hooks: Hooks): Hooks {
  const entries: readonly (readonly [string, unknown])[] = Object.entries(hooks)
  const made = entries.map(([action, hook]) => [action, reportingFaults(`${when}.${action}`, hook)])
  return Object.fromEntries(made) as Hooks
}

/**
 * Makes a callback that throws the same errors, except that a violation is an HttpError 500; anything but a function is
 * returned as it is.
 *
 * @param name of the callback, for the log
 */
export function reportingFaults<T>(name: string, callback: T): T {
  if (typeof callback !== 'function') return callback
  const call = callback as unknown as Callback
  const run = (...args: never[]): unknown => {
    try {
      const result = call(...args)
      return isThenable(result) ? Promise.resolve(result).catch((error: unknown) => fail(name, error)) : result
    } catch (error) {
      return fail(name, error)
    }
  }
  return run as T
}

/** @throws the error, or an HttpError 500 in place of a violation. */
function fail(name: string, error: unknown): never {
  const isViolation = error instanceof UniqueViolation || error instanceof ForeignKeyViolation
    || error instanceof ColumnViolation
  if (!isViolation) throw error
  throw new HttpError(500, `A statement of \`${name}\` has violated a constraint of the database`, { cause: error })
}
