import type { Request, RequestHandler } from 'express'
import { insufficientScope } from './auth/challenge.js'
import { checkAppName, checkKeys } from './auth/options.js'
import { HttpError, MisuseError } from './errors.js'
import { mediate } from './mediation.js'
import { both, judgeOf, type JudgeOptions } from './permission/judge.js'
import { lookAhead, type Ahead } from './routing/look-ahead.js'
import { stateOf, type Judge, type Pass } from './routing/request-state.js'

export interface PermissionOptions extends JudgeOptions {
  /**
   * What a route without a permission id of this application gets from somebody signed in: `'refuse'` is a 403.
   *
   * @default 'allow'
   */
  readonly handWritten?: 'allow' | 'refuse' | undefined
}

/**
 * Authorisation of the application `app`, behind `auth(app)` in `app.use`, `router.use` and `guards`: a route of a resource
 * needs its permission id, a missing one is a 403 (RFC 6750 §3.1).
 *
 * Given nothing, `auth.permissions` is read; nothing granted means nothing allowed.
 *
 * @throws MisuseError for a pattern that matches nothing, an unknown option, a time given as text.
 * @example
 * admin.use(auth('admin', { secret }), permission('admin', { roles: { admin: ['*'], editor: ['admin.posts.*'] } }))
 */
export function permission(app: string, options: PermissionOptions = {}): RequestHandler {
  checkAppName(app)
  checkKeys(`permission('${app}')`, options, ['allows', 'roles', 'handWritten', 'timeout'])
  const judge = judgeOf(options)
  const refuses = refusesHandWritten(options.handWritten)
  return function authorise(req, _res, next) {
    const ahead = aheadOf(req, authorise)
    if (ahead.kind === 'resource' && ahead.route.auth === false) {
      next()
      return
    }
    let verdict: void | Promise<void>
    try {
      takeCharge(passOf(req, app), judge)
      verdict = decide(app, ahead, refuses, req)
    } catch (error) {
      next(error)
      return
    }
    if (verdict === undefined) next()
    else verdict.then(() => next(), next)
  }
}

function refusesHandWritten(choice: unknown = 'allow'): boolean {
  if (choice === 'allow' || choice === 'refuse') return choice === 'refuse'
  throw new MisuseError('option_hand_written', "`handWritten` is 'allow' or 'refuse'.")
}

function aheadOf(req: Request, middleware: RequestHandler): Ahead {
  const { route } = stateOf(req)
  return route === undefined ? lookAhead(req, middleware) : { kind: 'resource', route }
}

/** A refusal comes here, before a parser that stands behind the pair reads anything; the route asks once more. */
function decide(app: string, ahead: Ahead, refuses: boolean, req: Request): void | Promise<void> {
  if (ahead.kind === 'nothing') return undefined
  const owner = ahead.kind === 'resource' ? ahead.route.app : undefined
  if (ahead.kind === 'resource' && owner === app) return mediate(ahead.route, req)
  if (refuses && owner === undefined) throw insufficientScope(app)
  return undefined
}

function passOf(req: Request, app: string): Pass {
  const pass = stateOf(req).passes.get(app)
  if (pass !== undefined) return pass
  throw new HttpError(500, `permission('${app}') ran and auth('${app}') has not: put it in front.`, { reason: 'internal' })
}

/** Two of the same application, on the app and in the guards, must agree: neither replaces the other. */
function takeCharge(pass: Pass, judge: Judge): void {
  if (pass.judge === judge) return
  pass.judge = pass.judge === undefined ? judge : both(pass.judge, judge)
  pass.granted.clear()
}
