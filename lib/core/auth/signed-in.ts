import type { Auth } from '../base/types.js'
import { copyClaims } from './copy-claims.js'

/** A caller whom `inject` or `accessMatrix` of `resourcery/testing` signs in without a token. */
export interface SignedIn {
  /** `null` for a caller who is anonymous, whatever `verify` says. */
  readonly auth: Auth | null
  /** The application that signs the caller in; `undefined` for the only application on the way. */
  readonly app: string | undefined
  /** The applications whose `auth` the request has met. */
  readonly met: Set<string>
  /** Signs the caller in to every application on the way, if no one is named. @default false */
  readonly everywhere?: boolean | undefined
}

/**
 * The callers, by the request that was made for them in this process. Nothing that a request carries leads to this
 * map, and no entry of the package exports it.
 */
const callerByRequest = new WeakMap<object, SignedIn>()
let anySignedIn = false

/**
 * Signs a caller in for one request, before the app receives it. The application may change the claims, as those of a
 * token, so each request has its own.
 */
export function signIn(req: object, caller: SignedIn): void {
  anySignedIn = true
  callerByRequest.set(req, { ...caller, auth: copyClaims(caller.auth) })
}

/**
 * Returns the caller who is signed in to the application `app`, `null` for one who is anonymous, `undefined` if the
 * credentials decide or the application is ambiguous.
 */
export function signedIn(req: object, app: string): Auth | null | undefined {
  const caller = anySignedIn ? callerByRequest.get(req) : undefined
  if (caller === undefined) return undefined
  caller.met.add(app)
  const { app: named, everywhere = false, met } = caller
  const isSelected = named === undefined ? everywhere || met.size === 1 : named === app
  return isSelected ? caller.auth : undefined
}
