import type { Request } from 'express'
import type { Auth } from '../types.js'
import type { BearerToken } from './bearer.js'

/** Who credentials belong to, and the token that takes the place of the one presented. */
export interface Identity {
  readonly auth: Auth
  readonly renewed?: string | undefined
  /** The name of the strategy that recognised them, set by `auth`. */
  strategy?: string | undefined
}

/**
 * One way to sign in: `null` when these are not its credentials. What is known already is answered at once.
 *
 * @throws UnauthorizedError when they are, and are not good.
 */
export type Strategy = (req: Request, bearer: BearerToken | undefined) => Identity | null | PromiseLike<Identity | null>
