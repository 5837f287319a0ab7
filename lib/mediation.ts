import type { Request } from 'express'
import { insufficientScope, tokenMissing } from './auth/challenge.js'
import { HttpError } from './errors.js'
import type { MountedRoute } from './routing/registry.js'
import { stateOf, type Pass } from './routing/request-state.js'
import { chain } from './thenable.js'
import type { Auth } from './types.js'

/**
 * Checks the markers of the route that matched, whatever guards stood in front of it (complete mediation).
 *
 * A route with an `app` answers to the guards of that application; one without to every `auth` and `permission` that
 * ran. Returns at once where the check is synchronous, and otherwise a promise.
 *
 * @throws HttpError 401, 403, and 500 when a guard that the route needs has not run.
 */
export function mediate(route: MountedRoute, req: Request): void | Promise<void> {
  const { passes, unchecked } = stateOf(req)
  if (route.auth === false) {
    // Guards that could not see ahead have looked at the credentials all the same.
    if (passes.size > 0) req.auth = undefined
    return undefined
  }
  if (route.app !== undefined) return mediateOwned(route, route.app, passes, req)
  const missing = unchecked.find((app) => !passes.has(app))
  if (missing !== undefined) throw incomplete(route, missing, 'auth')
  let verdict: void | Promise<void> = undefined
  for (const [app, pass] of passes) verdict = chain(verdict, () => admit(route, app, pass, req)) as void | Promise<void>
  return verdict
}

/** Checks a route without an `app` for one `permission` in front of it; the others check it for themselves. */
export function mediateFor(route: MountedRoute, app: string, req: Request): void | Promise<void> {
  const pass = stateOf(req).passes.get(app)
  return pass === undefined ? undefined : admit(route, app, pass, req)
}

/** Returns the permission id of a route in an application; the name of a route with an `app` begins with it already. */
export function permissionIn(app: string, { app: own, name }: MountedRoute): string {
  return own === undefined ? `${app}.${name}` : name
}

/** Returns the passes that a route answers to, by application. */
export function passesOf(route: MountedRoute, req: Request): (readonly [app: string, pass: Pass])[] {
  return [...stateOf(req).passes].filter(([app]) => route.app === undefined || route.app === app)
}

type Passes = ReadonlyMap<string, Pass>

function mediateOwned(route: MountedRoute, app: string, passes: Passes, req: Request): void | Promise<void> {
  const pass = passes.get(app)
  if (pass === undefined) throw incomplete(route, app, 'auth')
  // Guards of another application may have set it; where there are none, what middleware has made of it stays.
  if (passes.size > 1 || req.auth === undefined) req.auth = pass.auth
  if (pass.auth !== undefined && route.can && pass.judge === undefined) throw incomplete(route, app, 'permission')
  return admit(route, app, pass, req)
}

/** Checks the markers of a route against one application's pass; without a judge no permission is asked for. */
function admit(route: MountedRoute, app: string, pass: Pass, req: Request): void | Promise<void> {
  const asks = route.can && (route.app !== undefined || pass.judge !== undefined)
  if (pass.auth !== undefined) return asks ? demand(permissionIn(app, route), app, pass, pass.auth, req) : undefined
  if (route.auth !== 'optional' || asks) throw tokenMissing(app)
  return undefined
}

function demand(permission: string, app: string, pass: Pass, auth: Auth, req: Request): void | Promise<void> {
  if (pass.granted.has(permission)) return undefined
  const conclude = (granted: boolean): void => {
    if (!granted) throw insufficientScope(app)
    pass.granted.add(permission)
  }
  const verdict = pass.judge?.(auth, permission, req) ?? false
  if (typeof verdict !== 'boolean') return verdict.then(conclude)
  conclude(verdict)
}

function incomplete({ name, method, path }: MountedRoute, app: string, missing: 'auth' | 'permission'): HttpError {
  const route = `\`${name}\` (${method} ${path})`
  const message = `${route} was reached, and ${missing}('${app}') has not run: put the pair in front of it.`
  return new HttpError(500, message, { reason: 'internal' })
}
