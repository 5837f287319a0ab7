import type { Claims } from './claims.js'
import { jose } from './jose.js'
import type { SecretKeys } from './secret-keys.js'

/** Signs claims as they are with the first secret, under an id of its own, by which one token can be revoked. */
export async function signToken(claims: Claims, { signing }: SecretKeys): Promise<string> {
  const { SignJWT } = await jose()
  return new SignJWT({ ...claims, jti: crypto.randomUUID() }).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(await signing)
}

/** Seconds since 1970, as the claims of a token count (RFC 7519 §2, NumericDate). */
export function now(): number {
  return Math.floor(Date.now() / 1000)
}
