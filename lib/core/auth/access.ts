import type { Request } from 'express'
import { insufficientScope, tokenMissing } from './challenge.js'
import { HttpError } from '../base/errors.js'
import { isThenable } from '../base/promises.js'
import type { MountedRoute } from '../routing/registry.js'
import { callerIn, stateOf, type GuardState } from '../routing/request-state.js'

/**
 * Checks access at the route that matched, by its `auth` and `can` markers, independently of the guards that ran
 * before (complete mediation).
 *
 * A route with an `app` needs the guards of that application; one without needs every `auth` and `permission` that ran.
 * Returns a promise only if a permission check is asynchronous.
 *
 * @throws HttpError 401, 403, and 500 when a guard that the route needs has not run.
 */
export function checkAccess(route: MountedRoute, req: Request): void | Promise<void> {
  const { guards, unchecked } = stateOf(req)
  if (route.auth === false) {
    // Guards that could not foresee the route have identified the caller.
    if (guards.size > 0) req.auth = undefined
    return undefined
  }
  if (route.app !== undefined) return checkRouteOfApp(route, route.app, guards, req)
  const missing = unchecked.find((app) => !guards.has(app))
  if (missing !== undefined) throw guardMissing(route, missing, 'auth')
  let result: void | Promise<void> = undefined
  for (const [app, state] of guards) {
    const check = (): void | Promise<void> => checkMarkers(route, app, state, req)
    result = isThenable(result) ? result.then(check) : check()
  }
  return result
}

/** Checks access to a route without an `app` for one `permission` in front of it; the others check for themselves. */
export function checkAccessFor(route: MountedRoute, app: string, req: Request): void | Promise<void> {
  const state = stateOf(req).guards.get(app)
  return state === undefined ? undefined : checkMarkers(route, app, state, req)
}

/** Returns the permission id of a route in an application; the name of a route with an `app` already begins with it. */
export function permissionIn(app: string, { app: own, name }: MountedRoute): string {
  return own === undefined ? `${app}.${name}` : name
}

/** Returns the states of the guards that a route needs, by application. */
export function guardStatesOf(route: MountedRoute, req: Request): (readonly [app: string, state: GuardState])[] {
  return [...stateOf(req).guards].filter(([app]) => route.app === undefined || route.app === app)
}

type Guards = ReadonlyMap<string, GuardState>

function checkRouteOfApp(route: MountedRoute, app: string, guards: Guards, req: Request): void | Promise<void> {
  const state = guards.get(app)
  if (state === undefined) throw guardMissing(route, app, 'auth')
  // Guards of another application may have replaced it; without any, changes by middleware are kept.
  if (guards.size > 1 || req.auth === undefined) req.auth = callerIn(state)
  if (state.auth !== undefined && route.can && state.isGranted === undefined) {
    throw guardMissing(route, app, 'permission')
  }
  return checkMarkers(route, app, state, req)
}

/**
 * Checks the markers of a route for the guards of one application; no permission is needed where no `permission` has
 * run.
 */
function checkMarkers(route: MountedRoute, app: string, state: GuardState, req: Request): void | Promise<void> {
  const needsPermission = route.can && (route.app !== undefined || state.isGranted !== undefined)
  if (state.auth !== undefined) {
    return needsPermission ? requirePermission(route, app, state, req) : undefined
  }
  if (route.auth !== 'optional' || needsPermission) throw tokenMissing(app, state.challenges)
  return undefined
}

function requirePermission(route: MountedRoute, app: string, state: GuardState, req: Request): void | Promise<void> {
  const permission = permissionIn(app, route)
  if (state.granted.has(permission)) return undefined
  const requireGrant = (isGranted: boolean): void => {
    if (!isGranted) throw insufficientScope(app, state.challenges)
    state.granted.add(permission)
  }
  const result = (state.auth && state.isGranted?.(state.auth, permission, req)) ?? false
  if (typeof result !== 'boolean') return result.then(requireGrant)
  requireGrant(result)
}

function guardMissing({ name, method, path }: MountedRoute, app: string, missing: 'auth' | 'permission'): HttpError {
  return internal(`\`${name}\` (${method} ${path}) was reached without ${missing}('${app}'): mount auth and `
    + 'permission in front of it.')
}

/** Returns the error of an application whose guards are mounted wrongly. */
export function internal(message: string): HttpError {
  return new HttpError(500, message, { reason: 'internal' })
}
