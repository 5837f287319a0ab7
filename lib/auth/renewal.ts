import { checkFunction, checkOptionNames } from '../options.js'
import type { Auth } from '../types.js'
import { ask } from './ask.js'
import { tokenInvalid } from './challenge.js'
import { isId, ownClaims, reservedClaims } from './claims.js'
import { secondsOf, timeoutOf } from './options.js'
import type { SecretKeys } from './secret-keys.js'
import { now, signToken } from './sign-token.js'
import type { Identity } from './strategy.js'

export interface RenewOptions {
  /**
   * Seconds a token may be old before a reply carries a fresh one.
   *
   * @default 43_200
   */
  readonly after?: number | undefined
  /**
   * Seconds a whole session may last, from the sign-in (`auth_time`) on, however often it is renewed.
   *
   * @default 604_800
   */
  readonly max?: number | undefined
  /**
   * Reads the user again: what it returns takes the place of the claims, as `issueToken` would write them (name them one by one,
   * a token can be read by its holder); `null` refuses, with a 401 now.
   */
  readonly reload?: ((auth: Auth) => Omit<Auth, 'id'> | null | undefined | Promise<Omit<Auth, 'id'> | null | undefined>) | undefined
  /**
   * Seconds to wait for `reload`; after them the reply is 503.
   *
   * @default 5
   */
  readonly timeout?: number | undefined
}

type Renew = (auth: Auth) => Identity | Promise<Identity>

/** What becomes of a verified token: it stands as it is, or a fresh one of the same lifetime takes its place. */
export function renewal(app: string, options: boolean | RenewOptions | undefined, keys: SecretKeys): Renew {
  if (options === undefined || options === false) return (auth) => ({ auth })
  const { after, max, reload } = checked(options === true ? {} : options)
  const renewed = async (auth: Auth, exp: number): Promise<Identity> => {
    const current = reload === undefined ? auth : await reloaded(app, auth, reload)
    const { iat: issued, auth_time = issued } = current
    return { auth: current, renewed: await signToken({ ...current, iat: now(), exp, auth_time }, keys) }
  }
  return (auth) => {
    const exp = freshExpiry(auth, after, max)
    return exp === undefined ? { auth } : renewed(auth, exp)
  }
}

type Reload = (auth: Auth) => Promise<unknown>

function checked(options: unknown): { after: number; max: number; reload: Reload | undefined } {
  checkOptionNames('renew', options, ['after', 'max', 'reload', 'timeout'])
  const { reload, ...times } = options as RenewOptions
  if (reload !== undefined) checkFunction('`reload`', reload)
  const timeout = timeoutOf(times.timeout)
  const after = secondsOf('after', times.after, 43_200)
  const max = secondsOf('max', times.max, 604_800)
  return { after, max, reload: reload && ((auth) => ask('`reload`', timeout, () => reload(auth))) }
}

/** When a fresh token would expire, `undefined` when it is too early for one or when it would not live longer. */
function freshExpiry({ iat, exp, auth_time = iat }: Auth, after: number, max: number): number | undefined {
  if (typeof iat !== 'number' || typeof exp !== 'number' || typeof auth_time !== 'number') return undefined
  if (now() - iat < after) return undefined
  const fresh = Math.floor(Math.min(now() + (exp - iat), auth_time + max))
  return fresh > exp ? fresh : undefined
}

/** The user as they are now; the token's own claims stay what they were. */
async function reloaded(app: string, auth: Auth, reload: Reload): Promise<Auth> {
  const user = await reload(auth)
  if (typeof user !== 'object' || user === null) throw tokenInvalid(app)
  const claims = ownClaims(user)
  const { id = auth.id } = claims
  if (!isId(id) || String(id) !== String(auth.id)) throw tokenInvalid(app)
  return { ...claims, ...reservedClaims(auth), id: auth.id }
}
