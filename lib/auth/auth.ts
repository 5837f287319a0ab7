import type { Request, RequestHandler, Response } from 'express'
import { MisuseError, UnavailableError } from '../errors.js'
import { answersProbe } from '../express/stack.js'
import { METHODS } from '../node-http.js'
import { allowedMethods, lookAhead } from '../routing/look-ahead.js'
import { registerGuard } from '../routing/guards.js'
import { leaveUnchecked, revokePass, stateOf } from '../routing/request-state.js'
import { chain, isThenable } from '../thenable.js'
import type { AuthMarker } from '../types.js'
import { authorizationOf, bearerOf } from './bearer.js'
import { tokenInvalid, tokenMissing } from './challenge.js'
import { jwksStrategy, type JwksOptions } from './jwks-strategy.js'
import { checkAppName } from './options.js'
import { carryToken } from './renewed-token.js'
import { secretStrategy, type SecretOptions } from './secret-strategy.js'
import { signedIn } from './signed-in.js'
import type { Identity, Strategy } from './strategy.js'
import { verifyStrategy, type VerifyOptions } from './verify-strategy.js'

/** One way to sign in: a secret of your own, an identity provider, a check of your own. */
export type AuthOptions = SecretOptions | JwksOptions | VerifyOptions

/**
 * Authentication of the application `app`, for `app.use`, `router.use` and `guards`: finds out who is calling and sets `req.auth`.
 *
 * A route that is marked public is let through and its credentials are not looked at; for everything else, hand-written
 * handlers included, missing or bad credentials are a 401 (RFC 6750 §3). Of several options the first that recognises the
 * credentials decides. Put `permission(app)` behind it.
 *
 * @throws MisuseError for a weak or missing secret, seconds given as text, an unknown option.
 * @example
 * admin.use(auth('admin', { secret }), permission('admin'))
 */
export function auth(app: string, options: AuthOptions | readonly AuthOptions[]): RequestHandler {
  checkAppName(app)
  const strategies = namedStrategies(app, [options].flat())
  if (strategies.length === 0) throw noStrategy(app)
  return registerGuard('auth', app, function resourceryAuth(req, res, next) {
    if (answersProbe(resourceryAuth)) {
      next()
      return
    }
    const caller = signedIn(req, app)
    const marker = markerOf(req, resourceryAuth)
    if (marker === false) {
      leaveUnchecked(req, app)
      next()
      return
    }
    const refuse = (error: unknown): void => {
      revokePass(req, app)
      next(toError(error))
    }
    let identity: Identity | null | PromiseLike<Identity | null>
    try {
      identity = caller === undefined ? identify(app, strategies, req) : { auth: caller }
      if (!isThenable(identity) && !admit(app, identity, marker, req, res)) return
    } catch (error) {
      refuse(error)
      return
    }
    if (!isThenable(identity)) next()
    else identity.then((known) => admit(app, known, marker, req, res)).then((admitted) => admitted && next(), refuse)
  })
}

interface NamedStrategy {
  /** Tells this strategy from the others of the application, `undefined` for the first one with a secret. */
  readonly name: string | undefined
  readonly identify: Strategy
}

function namedStrategies(app: string, options: readonly unknown[]): NamedStrategy[] {
  const kinds = options.map(kindOf)
  return options.map((one, index) => {
    const kind = kindOf(one)
    const earlier = kinds.slice(0, index).filter((other) => other === kind).length
    return { name: kind === 'secret' && earlier === 0 ? undefined : `${kind}#${earlier}`, identify: strategyOf(app, one) }
  })
}

function kindOf(options: unknown): string {
  const { secret, issuer } = (options ?? {}) as Readonly<Record<string, unknown>>
  if (secret !== undefined) return 'secret'
  return typeof issuer === 'string' ? `jwks ${issuer}` : 'verify'
}

function strategyOf(app: string, options: unknown): Strategy {
  if (typeof options !== 'object' || options === null) throw noStrategy(app)
  if ('secret' in options) return secretStrategy(app, options as SecretOptions)
  if ('jwks' in options) return jwksStrategy(app, options as JwksOptions)
  if ('verify' in options) return verifyStrategy(app, options as VerifyOptions)
  throw noStrategy(app)
}

function noStrategy(app: string): MisuseError {
  return new MisuseError('auth_options', `auth('${app}') needs to know how: { secret }, { jwks, issuer, audience } or { verify }.`)
}

/** What the route says that matched, or that will; what is not a resource route says that a sign-in is needed. */
function markerOf(req: Request, middleware: RequestHandler): AuthMarker {
  const { route } = stateOf(req)
  if (route !== undefined) return route.auth
  const ahead = lookAhead(req, middleware)
  return ahead.kind === 'resource' ? ahead.route.auth : true
}

/** Whether the request goes on; `false` when it has been answered. */
function admit(app: string, identity: Identity | null, marker: AuthMarker, req: Request, res: Response): boolean {
  if (identity === null && marker !== 'optional') {
    if (answersOptions(req, res)) return false
    throw tokenMissing(app)
  }
  if (identity?.renewed !== undefined) carryToken(res, identity.renewed)
  leavePass(req, app, identity)
  return true
}

/** Who is calling, `null` without credentials: the first strategy that recognises them decides. */
function identify(app: string, strategies: readonly NamedStrategy[], req: Request): Identity | null | PromiseLike<Identity | null> {
  const authorization = authorizationOf(req)
  const bearer = bearerOf(authorization)
  const from = (index: number): Identity | null | PromiseLike<Identity | null> => {
    const strategy = strategies[index]
    if (strategy === undefined) {
      if (authorization !== '') throw tokenInvalid(app)
      return null
    }
    return chain(strategy.identify(req, bearer), (identity) => {
      if (identity === null) return from(index + 1)
      identity.strategy = strategy.name
      return identity
    })
  }
  return from(0)
}

/** A CORS preflight never carries credentials (Fetch Standard): it learns the methods, and nothing behind this runs. */
function answersOptions(req: Request, res: Response): boolean {
  if (req.method !== 'OPTIONS') return false
  const allowed = allowedMethods(req)
  if (allowed.length === 0) return false
  res.statusCode = 204
  res.setHeader('Allow', (allowed.includes('*') ? METHODS : allowed).join(', '))
  res.end()
  return true
}

function leavePass(req: Request, app: string, identity: Identity | null): void {
  const auth = identity?.auth
  const state = stateOf(req)
  const judge = state.passes.get(app)?.judge
  // Who has just signed in has been granted nothing yet; who judges stays the same.
  state.passes = new Map(state.passes).set(app, { auth, strategy: identity?.strategy, granted: new Set(), ...(judge !== undefined && { judge }) })
  req.auth = auth
}

/** Nothing, `'route'` and `'router'` would send Express past this middleware. */
function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new UnavailableError('The credentials could not be checked', { cause: thrown })
}
