import type { Request } from 'express'
import { insufficientScope, tokenMissing } from './auth/challenge.js'
import { HttpError } from './errors.js'
import type { MountedRoute } from './routing/registry.js'
import { stateOf, type Pass } from './routing/request-state.js'
import type { Auth } from './types.js'

/**
 * Complete mediation: the markers of the route that really matched, whoever stood in front of it.
 *
 * Returns at once where the one who judges does, and otherwise a promise.
 *
 * @throws HttpError 401, 403, and 500 when the pair of the route's application has not run.
 */
export function mediate(route: MountedRoute, req: Request): void | Promise<void> {
  if (route.app === undefined) return undefined
  const { passes } = stateOf(req)
  if (route.auth !== false) return mediateGuarded(route, route.app, passes, req)
  // A pair that could not see ahead has looked at the credentials all the same.
  if (passes.size > 0) req.auth = undefined
  return undefined
}

function mediateGuarded(route: MountedRoute, app: string, passes: ReadonlyMap<string, Pass>, req: Request): void | Promise<void> {
  const pass = passes.get(app)
  if (pass === undefined) throw incomplete(route, app, 'auth')
  // Another application's pair may have set it; where there is but one, what the user's own middleware made of it stays.
  if (passes.size > 1 || req.auth === undefined) req.auth = pass.auth
  if (pass.auth !== undefined) return route.can ? demand(route, app, pass, pass.auth, req) : undefined
  if (route.auth !== 'optional' || route.can) throw tokenMissing(app)
  return undefined
}

function demand(route: MountedRoute, app: string, pass: Pass, auth: Auth, req: Request): void | Promise<void> {
  const { name: permission } = route
  if (pass.granted.has(permission)) return undefined
  if (pass.judge === undefined) throw incomplete(route, app, 'permission')
  const conclude = (granted: boolean): void => {
    if (!granted) throw insufficientScope(app)
    pass.granted.add(permission)
  }
  const verdict = pass.judge(auth, permission, req)
  if (typeof verdict !== 'boolean') return verdict.then(conclude)
  conclude(verdict)
}

function incomplete({ name, method, path }: MountedRoute, app: string, missing: 'auth' | 'permission'): HttpError {
  const message = `\`${name}\` (${method} ${path}) was reached, and ${missing}('${app}') has not run: put the pair in front of it.`
  return new HttpError(500, message, { reason: 'internal' })
}
