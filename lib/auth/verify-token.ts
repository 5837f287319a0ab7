import type { CryptoKey, JWTVerifyOptions } from 'jose'
import type { Auth } from '../types.js'
import { tokenInvalid } from './challenge.js'
import type { Claims } from './claims.js'
import { jose } from './jose.js'
import { now } from './sign-token.js'
import { VerifiedTokens } from './verified-tokens.js'

type Keys = Iterable<CryptoKey | PromiseLike<CryptoKey>> | AsyncIterable<CryptoKey>

export interface Verification {
  readonly app: string
  /** Those that may have signed a token, tried in order until one fits the signature. */
  readonly keysOf: (token: string) => Keys | Promise<Keys>
  readonly rules: JWTVerifyOptions & { readonly clockTolerance: number }
  /** Who the claims name, `undefined` for nobody. */
  readonly toAuth: (claims: Claims) => Auth | undefined
  /** Seconds for which a signature, once verified, is believed. @default as long as the token lives */
  readonly believed?: number
}

/** Who a token names. */
export interface TokenVerifier {
  /** At once, for a token that was verified before; `undefined` for any other. Its time is judged anew. */
  known(token: string): Auth | undefined
  /** By RFC 7519 §7.2 and RFC 8725: pinned algorithms, a signature, an audience, an expiry. */
  verify(token: string): Promise<Auth>
}

/** Both throw an UnauthorizedError: `token_expired` when nothing but the time is wrong, else `token_invalid`. */
export function tokenVerifier({ app, keysOf, rules, toAuth, believed }: Verification): TokenVerifier {
  const verified = new VerifiedTokens(believed === undefined ? {} : { seconds: believed })
  return {
    known(token) {
      const claims = verified.find(token)
      if (claims === undefined) return undefined
      if (Number(claims.exp) <= now() - rules.clockTolerance) throw tokenInvalid(app, 'token_expired')
      return toAuth(claims)
    },
    async verify(token) {
      const { errors } = await jose()
      const claims = await claimsOf(token, await keysOf(token), rules).catch((error: unknown) => {
        const expired = error instanceof errors.JWTExpired && toAuth(error.payload) !== undefined
        throw tokenInvalid(app, expired ? 'token_expired' : 'token_invalid')
      })
      const auth = toAuth(claims)
      // `1e999` is a number too: a token that never expires.
      if (auth === undefined || !Number.isFinite(auth.exp)) throw tokenInvalid(app)
      verified.keep(token, claims)
      return auth
    },
  }
}

async function claimsOf(token: string, keys: Keys, rules: JWTVerifyOptions): Promise<Claims> {
  const { errors, jwtVerify } = await jose()
  for await (const key of keys) {
    try {
      return (await jwtVerify(token, key, { ...rules, requiredClaims: ['exp'] })).payload
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
    }
  }
  throw new errors.JWSSignatureVerificationFailed()
}
