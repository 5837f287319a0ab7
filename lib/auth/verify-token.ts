import { errors, jwtVerify, type CryptoKey, type JWTVerifyOptions } from 'jose'
import type { Auth } from '../types.js'
import { tokenInvalid } from './challenge.js'
import type { Claims } from './claims.js'

export interface Verification {
  readonly app: string
  /** Tried in order until one fits the signature. */
  readonly keys: Iterable<CryptoKey | PromiseLike<CryptoKey>> | AsyncIterable<CryptoKey>
  readonly rules: JWTVerifyOptions
  /** Who the claims name, `undefined` for nobody. */
  readonly toAuth: (claims: Claims) => Auth | undefined
}

/**
 * Who a token names, by RFC 7519 §7.2 and RFC 8725: pinned algorithms, a signature, an audience, an expiry.
 *
 * @throws UnauthorizedError `token_expired` when nothing but the time is wrong, else `token_invalid`.
 */
export async function verifyToken(token: string, { app, keys, rules, toAuth }: Verification): Promise<Auth> {
  const auth = toAuth(await claimsOf(token, keys, rules).catch((error: unknown) => {
    const expired = error instanceof errors.JWTExpired && toAuth(error.payload) !== undefined
    throw tokenInvalid(app, expired ? 'token_expired' : 'token_invalid')
  }))
  // `1e999` is a number too: a token that never expires.
  if (auth === undefined || !Number.isFinite(auth.exp)) throw tokenInvalid(app)
  return auth
}

async function claimsOf(token: string, keys: Verification['keys'], rules: JWTVerifyOptions): Promise<Claims> {
  for await (const key of keys) {
    try {
      return (await jwtVerify(token, key, { ...rules, requiredClaims: ['exp'] })).payload
    } catch (error) {
      if (!(error instanceof errors.JWSSignatureVerificationFailed)) throw error
    }
  }
  throw new errors.JWSSignatureVerificationFailed()
}
