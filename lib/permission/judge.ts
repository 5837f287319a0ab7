import type { Request } from 'express'
import { timeoutOf } from '../auth/options.js'
import { UnavailableError } from '../errors.js'
import { checkFunction } from '../options.js'
import type { Judge } from '../routing/request-state.js'
import { isThenable } from '../thenable.js'
import { within } from '../within.js'
import type { Auth } from '../types.js'
import { byPermissions, byRole } from './patterns.js'

export interface JudgeOptions {
  /** A check of your own: exactly `true`, or a promise of it, grants; whatever it throws is a 503. */
  readonly allows?: ((auth: Auth, permission: string, req: Request) => boolean | PromiseLike<boolean>) | undefined
  /** What each role may: ids, `prefix.*` or `*`. Who has no role counts as `user`. With `allows` both must agree. */
  readonly roles?: Readonly<Record<string, readonly string[]>> | undefined
  /**
   * Seconds to wait for `allows`; after them the reply is 503.
   *
   * @default 5
   */
  readonly timeout?: number | undefined
}

/**
 * Who judges: roles, the user's own check, both, or the permissions of the caller.
 *
 * @throws MisuseError for a role or a pattern that can grant nothing, a check that is no function, a time given as text.
 */
export function judgeOf({ allows, roles, timeout }: JudgeOptions): Judge {
  const seconds = timeoutOf(timeout)
  const role = roles === undefined ? undefined : byRole(roles)
  const own = allows === undefined ? undefined : asking(allows, seconds)
  if (role !== undefined && own !== undefined) return both(role, own)
  return role ?? own ?? byPermissions
}

/** A judge that grants what two others grant; the second is not asked in vain. */
export function both(first: Judge, second: Judge): Judge {
  return (auth, permission, req) => {
    const verdict = first(auth, permission, req)
    if (typeof verdict === 'boolean') return verdict && second(auth, permission, req)
    return verdict.then((granted) => granted && second(auth, permission, req))
  }
}

/** The user's own check, made safe: it may throw anything, promise anything, and never answer. */
function asking(allows: NonNullable<JudgeOptions['allows']>, timeout: number): Judge {
  checkFunction('`allows`', allows)
  return (auth, permission, req) => {
    try {
      const answer: unknown = allows(auth, permission, req)
      return isThenable(answer) ? within(timeout, answer).then(isGrant, unavailable) : isGrant(answer)
    } catch (cause) {
      return unavailable(cause)
    }
  }
}

function isGrant(answer: unknown): boolean {
  return answer === true
}

function unavailable(cause: unknown): never {
  throw new UnavailableError('`allows` did not answer', { cause })
}
