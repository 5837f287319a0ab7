import { checkFunction, checkOptionNames } from '../base/options.js'
import { chain } from '../base/promises.js'
import type { Auth } from '../base/types.js'
import type { CallerLoader } from './caller-loader.js'
import { tokenInvalid } from './challenge.js'
import { secretKeys, signToken, type Secret, type SecretKeys } from './issue-token.js'
import type { LoadOptions } from './load.js'
import { callWithin, secondsOf, timeoutOf, type Identity, type Strategy } from './strategy.js'
import { isId, now, ownClaims, reservedClaims, toAuth } from './token.js'
import { tokenVerifier } from './verify-token.js'

/**
 * Authentication by bearer tokens signed with a secret, such as `issueToken` makes: HS256, `aud` is the application.
 */
export interface SecretOptions<App extends string = string> {
  /** At least 32 bytes, a string or a Uint8Array; the first of a list signs, and all verify. */
  readonly secret: Secret | readonly Secret[]
  /**
   * Seconds by which the clocks of issuer and verifier may differ.
   *
   * @default 0
   */
  readonly clockTolerance?: number | undefined
  /**
   * Sends a fresh token with a reply once the current one is old enough; `true` uses the defaults.
   *
   * @default false
   */
  readonly renew?: boolean | RenewOptions | undefined
  /**
   * Accepts `Authorization: <token>` too, without the scheme `Bearer`, for clients that send it so.
   *
   * @default false
   */
  readonly bareToken?: boolean | undefined
  /**
   * Returns the caller as the database has it now, for `req.auth` and `permission`; `null` is a 401 `token_revoked`, an
   * error a 503. A fresh token of `renew` keeps the claims of the old one, or gets those of `reload`.
   *
   * @default the claims of the token
   */
  readonly load?: LoadOptions<App> | undefined
}

type Reloaded = Omit<Auth, 'id'> | null | undefined

export interface RenewOptions {
  /**
   * Age of a token in seconds from which a reply carries a fresh one.
   *
   * @default 43_200
   */
  readonly after?: number | undefined
  /**
   * Seconds from sign-in (`auth_time`) after which tokens are no longer renewed.
   *
   * @default 604_800
   */
  readonly max?: number | undefined
  /**
   * Reads the user again. Its result replaces the claims that the application chose; list them one by one, since the
   * holder of a token can read it. `null` refuses the request with a 401.
   */
  readonly reload?: ((auth: Auth) => Reloaded | Promise<Reloaded>) | undefined
  /**
   * Seconds to wait for `reload`; after them the reply is 503.
   *
   * @default 5
   */
  readonly timeout?: number | undefined
}

/** @throws MisuseError for a missing or short secret, seconds given as a string, an unknown option. */
export function secretStrategy(app: string, options: SecretOptions, loader?: CallerLoader): Strategy {
  checkOptionNames(`auth('${app}')`, options, ['secret', 'clockTolerance', 'renew', 'bareToken', 'load'])
  const keys = secretKeys(options.secret)
  const clockTolerance = secondsOf('clockTolerance', options.clockTolerance, 0)
  const renew = renewal(app, options.renew, keys)
  const rules = { algorithms: ['HS256'], audience: app, clockTolerance }
  const tokens = tokenVerifier({ app, keysOf: () => keys.verifying, rules, toAuth })
  return (req, bearer) => {
    if (bearer === undefined) return null
    const toIdentity = (claims: Auth): Identity | PromiseLike<Identity> => {
      if (loader === undefined) return renew(claims)
      // First, so that the token of a revoked caller is not renewed.
      return chain(
        loader.load(bearer.text, claims, req),
        (auth) => chain(renew(claims), ({ renewed }) => ({ auth, renewed })),
      )
    }
    const verified = tokens.findVerified(bearer.text)
    if (verified !== undefined) return toIdentity(verified)
    return bearer.unverified.alg === 'HS256' ? tokens.verify(bearer.text).then(toIdentity) : null
  }
}

type Renew = (auth: Auth) => Identity | Promise<Identity>

/**
 * Returns a function that adds a fresh token of the same lifetime to the identity of a token that is due for renewal.
 */
function renewal(app: string, options: boolean | RenewOptions | undefined, keys: SecretKeys): Renew {
  if (options === undefined || options === false) return (auth) => ({ auth })
  const { after, max, reload } = checkRenewOptions(options === true ? {} : options)
  const renewToken = async (auth: Auth, exp: number): Promise<Identity> => {
    const current = reload === undefined ? auth : await reloadUser(app, auth, reload)
    const { iat: issued, auth_time = issued } = current
    return { auth: current, renewed: await signToken({ ...current, iat: now(), exp, auth_time }, keys) }
  }
  return (auth) => {
    const exp = freshExpiry(auth, after, max)
    return exp === undefined ? { auth } : renewToken(auth, exp)
  }
}

type Reload = (auth: Auth) => Promise<unknown>

function checkRenewOptions(options: RenewOptions): { after: number; max: number; reload: Reload | undefined } {
  checkOptionNames('renew', options, ['after', 'max', 'reload', 'timeout'])
  const { reload, ...times } = options
  if (reload !== undefined) checkFunction('`reload`', reload)
  const timeout = timeoutOf(times.timeout)
  const after = secondsOf('after', times.after, 43_200)
  const max = secondsOf('max', times.max, 604_800)
  return { after, max, reload: reload && ((auth) => callWithin(timeout, '`reload`', () => reload(auth))) }
}

/**
 * Returns when a fresh token would expire, `undefined` if the token is too young or a fresh one would not be valid
 * longer.
 */
function freshExpiry({ iat, exp, auth_time = iat }: Auth, after: number, max: number): number | undefined {
  if (typeof iat !== 'number' || typeof exp !== 'number' || typeof auth_time !== 'number') return undefined
  if (now() - iat < after) return undefined
  const fresh = Math.floor(Math.min(now() + (exp - iat), auth_time + max))
  return fresh > exp ? fresh : undefined
}

/** Reads the user again; the claims that this package wrote stay as they are. */
async function reloadUser(app: string, auth: Auth, reload: Reload): Promise<Auth> {
  const user = await reload(auth)
  if (typeof user !== 'object' || user === null) throw tokenInvalid(app)
  const claims = ownClaims(user)
  const { id = auth.id } = claims
  if (!isId(id) || String(id) !== String(auth.id)) throw tokenInvalid(app)
  return { ...claims, ...reservedClaims(auth), id: auth.id }
}
