import type { Request } from 'express'
import { callerIn, stateOf } from '../routing/request-state.js'
import type { Caller } from '../base/types.js'

/**
 * Returns the caller that `auth` has found, `undefined` for an anonymous one: what `req.auth` contains, also where
 * another library declares its type.
 *
 * Without `app` it is the caller of the application of the route, or else of the last `auth` that ran.
 *
 * @example
 * const { id } = findOrFail(authOf(req, 'admin'))
 */
export function authOf<App extends string = string>(req: Request, app?: App): Caller<App> | undefined {
  const { route, guards } = stateOf(req)
  if (route?.auth === false) return undefined
  const own: string | undefined = app ?? route?.app
  const guard = own === undefined ? [...guards.values()].at(-1) : guards.get(own)
  return guard && callerIn<App>(guard)
}
