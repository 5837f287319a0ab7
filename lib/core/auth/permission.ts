import type { Request, RequestHandler } from 'express'
import { checkAccess, checkAccessFor, internal } from './access.js'
import { insufficientScope } from './challenge.js'
import { checkAppName, timeoutOf } from './strategy.js'
import { MisuseError, UnavailableError } from '../base/errors.js'
import { isList, isObject } from '../base/guards.js'
import { checkCalled, checkFunction, checkOptionNames } from '../base/options.js'
import { isThenable, within } from '../base/promises.js'
import { contextOf } from './route-of.js'
import { answersProbe, registerGuard } from '../routing/guards.js'
import { lookAhead } from '../routing/look-ahead.js'
import { markUnchecked, stateOf, type Ahead, type GuardState, type PermissionCheck } from '../routing/request-state.js'
import type { Caller } from '../base/types.js'
import type { RouteInfo } from '../routing/route-info.js'

export interface PermissionOptions<App extends string = string> {
  /**
   * Checks a permission: exactly `true`, or a promise of it, grants it. An error is a 503, and so is a promise that
   * takes too long. `route` is the resource route that the request will reach.
   *
   * @default by the `permissions` of the caller
   */
  readonly allows?: ((
    auth: Caller<App>,
    permission: string,
    context: { readonly req: Request; readonly route: RouteInfo | undefined },
  ) => boolean | PromiseLike<boolean>) | undefined
  /**
   * The permissions of each role: ids, `prefix.*` or `*`. A caller without a role has the role `user`. With `allows`,
   * both must grant.
   */
  readonly roles?: Readonly<Record<string, readonly string[]>> | undefined
  /**
   * Seconds to wait for `allows`; after them the reply is 503.
   *
   * @default 5
   */
  readonly timeout?: number | undefined
  /**
   * Access of an authenticated caller to an undeclared handler, one that no resource and no `mountRoutes` declares:
   * `'deny'` answers 403, since such a handler has no permission id. A function with a path of its own is one too,
   * unless a route that requires a sign-in matches the request after it.
   *
   * @default 'allow'
   */
  readonly undeclared?: 'allow' | 'deny' | undefined
}

/**
 * Authorises the callers of the application `app`, after `auth(app)` in `app.use`, `router.use` or `guards`.
 *
 * A route with this `app` needs its permission id, and a route without an `app` needs `{app}.{name}.{action}`. Without
 * the permission the reply is 403 (RFC 6750 §3.1). Without options the `permissions` of the caller decide, and an empty
 * list grants nothing.
 *
 * @throws MisuseError for a pattern that matches nothing, an unknown option, a timeout that is not a number.
 * @example
 * admin.use(auth('admin', { secret }), permission('admin', { roles: { admin: ['*'], editor: ['admin.posts.*'] } }))
 */
export function permission<App extends string>(app: App, options: PermissionOptions<App> = {}): RequestHandler {
  checkCalled("app.use(permission('admin'))", app)
  checkAppName(app)
  checkOptionNames(`permission('${app}')`, options, OPTIONS)
  const unchecked: unknown = options
  const isGranted = permissionCheckOf(unchecked as PermissionOptions)
  const denies = deniesUndeclared(options.undeclared)
  return registerGuard({ kind: 'permission', app, roles: options.roles, denies },
    function resourceryPermission(req, _res, next) {
      if (answersProbe(resourceryPermission)) {
        next()
        return
      }
      const ahead = aheadOf(req, resourceryPermission)
      let result: void | Promise<void>
      try {
        keepCheck(app, isGranted, req)
        result = checkAhead(app, ahead, denies, req)
      } catch (error) {
        next(error)
        return
      }
      if (result === undefined) next()
      else result.then(() => next(), next)
    })
}

const OPTIONS = { names: ['allows', 'roles', 'undeclared', 'timeout'], renamed: { handWritten: 'undeclared' } }

function deniesUndeclared(choice: unknown = 'allow'): boolean {
  if (choice === 'allow' || choice === 'deny') return choice === 'deny'
  throw new MisuseError('option_undeclared', "`undeclared` of permission must be 'allow' or 'deny'.")
}

function aheadOf(req: Request, middleware: RequestHandler): Ahead {
  const { route } = stateOf(req)
  return route === undefined ? lookAhead(req, middleware) : { kind: 'resource', route }
}

/** Adds the check to the request, for a public route too, since another route may be reached. */
function keepCheck(app: string, isGranted: PermissionCheck, req: Request): void {
  const state = stateOf(req).guards.get(app)
  if (state !== undefined) addCheck(state, isGranted)
  else markUnchecked(req, app)
}

/** @throws HttpError 500 where no `auth` has found the caller. */
function checkCaller(app: string, req: Request): void {
  if (!stateOf(req).guards.has(app)) {
    throw internal(`permission('${app}') ran without auth('${app}'): mount auth in front of it.`)
  }
  if (isAssigned(req)) {
    throw internal(`Middleware has assigned \`req.auth\` in front of permission('${app}'), which reads the caller that `
      + `auth('${app}') has found: return the other one from \`load\` or \`verify\` of auth.`)
  }
}

/** Returns true if `req.auth` is not a caller that an `auth` has found. */
function isAssigned(req: Request): boolean {
  const { auth } = req
  if (auth === undefined) return false
  for (const state of stateOf(req).guards.values()) if (state.auth === auth) return false
  return true
}

/** Refuses before a parser after the guards reads the body; the route checks once more. */
function checkAhead(app: string, ahead: Ahead, denies: boolean, req: Request): void | Promise<void> {
  if (ahead.kind === 'resource' && ahead.route.auth === false) return undefined
  checkCaller(app, req)
  if (ahead.kind === 'nothing') return undefined
  if (ahead.kind !== 'resource') {
    if (denies) throw insufficientScope(app, stateOf(req).guards.get(app)?.challenges)
    return undefined
  }
  const { route } = ahead
  if (route.app === undefined) return checkAccessFor(route, app, req)
  return route.app === app ? checkAccess(route, req) : undefined
}

/** Requires two checks of the same application, on the app and in `guards`, to agree: neither replaces the other. */
function addCheck(state: GuardState, isGranted: PermissionCheck): void {
  if (state.isGranted === isGranted) return
  state.isGranted = state.isGranted === undefined ? isGranted : bothGrant(state.isGranted, isGranted)
  state.granted.clear()
}

/** Returns the check that the options describe: by roles, by `allows`, by both, or by the permissions of the caller. */
function permissionCheckOf({ allows, roles, timeout }: PermissionOptions): PermissionCheck {
  const seconds = timeoutOf(timeout)
  const byRoles = roles === undefined ? undefined : roleCheck(roles)
  const byFunction = allows === undefined ? undefined : functionCheck(allows, seconds)
  if (byRoles !== undefined && byFunction !== undefined) return bothGrant(byRoles, byFunction)
  return byRoles ?? byFunction ?? byPermissions
}

/** Returns a check that grants what two others grant; the second is not called if the first denies. */
function bothGrant(first: PermissionCheck, second: PermissionCheck): PermissionCheck {
  return (auth, permission, req) => {
    const result = first(auth, permission, req)
    if (typeof result === 'boolean') return result && second(auth, permission, req)
    return result.then((isGranted) => isGranted && second(auth, permission, req))
  }
}

/** Returns the check of the application's own function, which may throw, reject or never answer. */
function functionCheck(allows: NonNullable<PermissionOptions['allows']>, timeout: number): PermissionCheck {
  checkFunction('`allows`', allows)
  return (caller: unknown, permission, req) => {
    try {
      const answer: unknown = allows(caller as Caller, permission, contextOf(req))
      return isThenable(answer) ? within(timeout, answer).then(isTrue, unavailable) : isTrue(answer)
    } catch (cause) {
      return unavailable(cause)
    }
  }
}

function isTrue(answer: unknown): boolean {
  return answer === true
}

function unavailable(cause: unknown): never {
  throw new UnavailableError('`allows` failed or did not answer', { cause })
}

const ID = /^[A-Za-z][\w-]*(\.[A-Za-z][\w-]*)*$/

/**
 * Checks whether an entry grants a permission: the id itself, `prefix.*` for every id below a prefix, `*` for every id.
 */
function grants(entry: unknown, permission: string): boolean {
  if (entry === permission || entry === '*') return true
  return typeof entry === 'string' && isPrefix(entry) && permission.startsWith(entry.slice(0, -1))
}

function isPrefix(entry: string): boolean {
  return entry.endsWith('.*') && ID.test(entry.slice(0, -2))
}

/**
 * Returns true if one of these patterns grants a permission id, as `permission` decides it: the id itself, `prefix.*`
 * for every id below a prefix, `*` for every id. A value that is not a list grants nothing.
 *
 * @example
 * isGranted(['admin.posts.*'], 'admin.posts.show') // true
 */
export function isGranted(patterns: readonly string[] | null | undefined, id: string): boolean {
  return isList(patterns) && patterns.some((entry) => grants(entry, id))
}

/** Grants by the caller's own `permissions`. */
const byPermissions: PermissionCheck = ({ permissions }, permission) => isGranted(permissions, permission)

/**
 * Returns a check that grants by the caller's role.
 *
 * @throws MisuseError `role_pattern`, `roles_shape`.
 */
function roleCheck(roles: unknown): PermissionCheck {
  if (!isObject(roles)) {
    throw new MisuseError(
      'roles_shape',
      "`roles` must be an object with the permissions of each role: { editor: ['admin.posts.*'] }.",
    )
  }
  // A Map, so that a role named `constructor` finds nothing.
  const entries = new Map(Object.entries(roles).map(([role, list]) => [role, checkEntries(role, list)]))
  return ({ role = 'user' }, permission) => entries.get(role)?.some((entry) => grants(entry, permission)) ?? false
}

function checkEntries(role: string, list: unknown): readonly string[] {
  if (!isList(list)) {
    throw new MisuseError('roles_shape', `The permissions of the role \`${role}\` must be a list.`)
  }
  return [...list].map((entry) => {
    if (typeof entry === 'string' && (entry === '*' || ID.test(entry) || isPrefix(entry))) return entry
    throw new MisuseError(
      'role_pattern',
      `The role \`${role}\` lists ${JSON.stringify(entry)}: use a permission id, \`prefix.*\` or \`*\`.`,
    )
  })
}
