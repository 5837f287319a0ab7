import type { Auth } from '../types.js'

/** A caller whom `inject` of `resourcery/testing` signs in without a token. */
export interface SignedIn {
  readonly auth: Auth
  /** The application that signs the caller in; `undefined` where there is one on the way. */
  readonly app: string | undefined
  /** The applications whose `auth` the request has met. */
  readonly met: Set<string>
}

/**
 * The callers, by the request that `inject` made for them. Whatever a request carries is data of that request: nothing in it leads to
 * this map, and no entry of the package exports it.
 */
const callers = new WeakMap<object, SignedIn>()
let inUse = false

/** Signs a caller in for one request, before the app sees it. */
export function signIn(req: object, caller: SignedIn): void {
  inUse = true
  callers.set(req, caller)
}

/** Returns who is signed in to the application `app` for this request; nobody where it is unclear which application is meant. */
export function signedIn(req: object, app: string): Auth | undefined {
  const caller = inUse ? callers.get(req) : undefined
  if (caller === undefined) return undefined
  caller.met.add(app)
  const isMeant = caller.app === undefined ? caller.met.size === 1 : caller.app === app
  return isMeant ? caller.auth : undefined
}
