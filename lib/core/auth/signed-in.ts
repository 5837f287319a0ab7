import type { Auth } from '../base/types.js'

/** A caller whom `inject` of `resourcery/testing` signs in without a token. */
export interface SignedIn {
  readonly auth: Auth
  /** The application that signs the caller in; `undefined` for the only application on the way. */
  readonly app: string | undefined
  /** The applications whose `auth` the request has met. */
  readonly met: Set<string>
}

/**
 * The callers, by the request that `inject` made for them. Nothing that a request carries leads to this map, and no
 * entry of the package exports it.
 */
const callers = new WeakMap<object, SignedIn>()
let inUse = false

/** Signs a caller in for one request, before the app receives it. */
export function signIn(req: object, caller: SignedIn): void {
  inUse = true
  callers.set(req, caller)
}

/**
 * Returns the caller who is signed in to the application `app`, `undefined` if there is none or the application is
 * ambiguous.
 */
export function signedIn(req: object, app: string): Auth | undefined {
  const caller = inUse ? callers.get(req) : undefined
  if (caller === undefined) return undefined
  caller.met.add(app)
  const isSelected = caller.app === undefined ? caller.met.size === 1 : caller.app === app
  return isSelected ? caller.auth : undefined
}
