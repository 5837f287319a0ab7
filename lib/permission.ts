import type { Request, RequestHandler } from 'express'
import { insufficientScope } from './auth/challenge.js'
import { checkAppName } from './auth/options.js'
import { HttpError, MisuseError } from './errors.js'
import { answersProbe } from './express/stack.js'
import { mediate, mediateFor } from './mediation.js'
import { checkOptionNames } from './options.js'
import { both, judgeOf, type JudgeOptions } from './permission/judge.js'
import { registerGuard } from './routing/guards.js'
import { lookAhead, type Ahead } from './routing/look-ahead.js'
import { leaveUnchecked, stateOf, type Judge, type Pass } from './routing/request-state.js'

export interface PermissionOptions extends JudgeOptions {
  /**
   * What a signed-in caller gets from an undeclared handler, one that no resource and no `mountRoutes` declares:
   * `'deny'` answers 403, since it has no permission id.
   *
   * @default 'allow'
   */
  readonly undeclared?: 'allow' | 'deny' | undefined
}

/**
 * Authorises the callers of the application `app`, behind `auth(app)` in `app.use`, `router.use` or `guards`.
 *
 * A route with this `app` needs its permission id, and so does a route without an `app`: `{app}.{name}.{action}`. A
 * missing permission is 403 (RFC 6750 §3.1). Without options the `permissions` of the caller decide, and an empty list
 * grants nothing.
 *
 * @throws MisuseError for a pattern that matches nothing, an unknown option, a time given as text.
 * @example
 * admin.use(auth('admin', { secret }), permission('admin', { roles: { admin: ['*'], editor: ['admin.posts.*'] } }))
 */
export function permission(app: string, options: PermissionOptions = {}): RequestHandler {
  checkAppName(app)
  checkOptionNames(`permission('${app}')`, options, OPTIONS, { handWritten: 'undeclared' })
  const judge = judgeOf(options)
  const denies = deniesUndeclared(options.undeclared)
  return registerGuard('permission', app, function resourceryPermission(req, _res, next) {
    if (answersProbe(resourceryPermission)) {
      next()
      return
    }
    const ahead = aheadOf(req, resourceryPermission)
    let verdict: void | Promise<void>
    try {
      verdict = authoriseAhead(app, judge, ahead, denies, req)
    } catch (error) {
      next(error)
      return
    }
    if (verdict === undefined) next()
    else verdict.then(() => next(), next)
  })
}

const OPTIONS = ['allows', 'roles', 'undeclared', 'timeout']

function deniesUndeclared(choice: unknown = 'allow'): boolean {
  if (choice === 'allow' || choice === 'deny') return choice === 'deny'
  throw new MisuseError('option_undeclared', "`undeclared` of permission is 'allow' or 'deny'.")
}

function aheadOf(req: Request, middleware: RequestHandler): Ahead {
  const { route } = stateOf(req)
  return route === undefined ? lookAhead(req, middleware) : { kind: 'resource', route }
}

/** Registers the judge on the request, also where a public route is foreseen: another route may be reached. */
function authoriseAhead(app: string, judge: Judge, ahead: Ahead, denies: boolean, req: Request): void | Promise<void> {
  const isPublic = ahead.kind === 'resource' && ahead.route.auth === false
  const pass = stateOf(req).passes.get(app)
  if (pass !== undefined) takeCharge(pass, judge)
  else leaveUnchecked(req, app)
  if (pass === undefined && !isPublic) throw authMissing(app)
  return isPublic ? undefined : decide(app, ahead, denies, req)
}

function authMissing(app: string): HttpError {
  const message = `permission('${app}') ran and auth('${app}') has not: put it in front.`
  return new HttpError(500, message, { reason: 'internal' })
}

/** Refuses here, before a parser that stands behind the pair reads anything; the route checks once more. */
function decide(app: string, ahead: Ahead, denies: boolean, req: Request): void | Promise<void> {
  if (ahead.kind === 'nothing') return undefined
  if (ahead.kind !== 'resource') {
    if (denies) throw insufficientScope(app)
    return undefined
  }
  const { route } = ahead
  if (route.app === undefined) return mediateFor(route, app, req)
  return route.app === app ? mediate(route, req) : undefined
}

/** Two of the same application, on the app and in the guards, must agree: neither replaces the other. */
function takeCharge(pass: Pass, judge: Judge): void {
  if (pass.judge === judge) return
  pass.judge = pass.judge === undefined ? judge : both(pass.judge, judge)
  pass.granted.clear()
}
