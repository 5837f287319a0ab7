import type { CryptoKey, JWTVerifyOptions } from 'jose'
import type { Auth } from '../base/types.js'
import { tokenInvalid } from './challenge.js'
import { jose } from './jose.js'
import { now, type Claims } from './token.js'

type Keys = Iterable<CryptoKey | PromiseLike<CryptoKey>> | AsyncIterable<CryptoKey>

interface Verification {
  readonly app: string
  /** Returns the keys that may have signed a token; they are tried in order until one fits the signature. */
  readonly keysOf: (token: string) => Keys | Promise<Keys>
  readonly rules: JWTVerifyOptions & { readonly clockTolerance: number }
  /** Converts claims to a caller, `undefined` if they identify none. */
  readonly toAuth: (claims: Claims) => Auth | undefined
  /** Seconds for which a verified signature is not verified again. @default as long as the token is valid */
  readonly cacheSeconds?: number
}

/**
 * Verifies tokens; both functions throw an UnauthorizedError, `token_expired` if only the time is wrong, else
 * `token_invalid`.
 */
interface TokenVerifier {
  /**
   * Returns the caller of a token that was verified before, `undefined` for any other token. Checks the expiry again.
   */
  findVerified(token: string): Auth | undefined
  /** Verifies a token by RFC 7519 §7.2 and RFC 8725: allowed algorithms, signature, audience, expiry. */
  verify(token: string): Promise<Auth>
}

export function tokenVerifier({ app, keysOf, rules, toAuth, cacheSeconds }: Verification): TokenVerifier {
  const verified = new VerifiedTokens(cacheSeconds === undefined ? {} : { seconds: cacheSeconds })
  return {
    findVerified(token) {
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
      // `1e999` is a number too, and such a token would never expire.
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

interface Entry {
  readonly token: string
  readonly claims: Claims
  /** The claims as JSON. */
  readonly text: string
  /** True if a claim is a list or an object, which a shallow copy would share. */
  readonly deep: boolean
  /** Milliseconds since 1970 after which the token is verified again, `Infinity` for never. */
  readonly until: number
}

interface VerifiedTokensOptions {
  /** Seconds for which an entry is used. @default without limit: every request checks the expiry of the token itself */
  readonly seconds?: number
  /** @default 10_000 */
  readonly entries?: number
  /** Characters of all tokens and claims. @default 8_000_000 */
  readonly size?: number
}

/**
 * A cache of tokens whose signatures were verified, so that not every request verifies one.
 *
 * Its size is limited, and unused entries are dropped: when the younger half is full it becomes the older one, and the
 * former older half is discarded.
 */
export class VerifiedTokens {
  readonly #seconds: number
  readonly #entries: number
  readonly #size: number
  /** By the end of the token: to look up a whole one takes twice as long. */
  #young = new Map<string, Entry>()
  #old = new Map<string, Entry>()
  #youngSize = 0

  constructor({ seconds = Infinity, entries = 10_000, size = 8_000_000 }: VerifiedTokensOptions = {}) {
    this.#seconds = seconds
    this.#entries = entries / 2
    this.#size = size / 2
  }

  /**
   * Returns the claims of a verified token, `undefined` for an unknown one. The caller makes a shallow copy before it
   * passes them on.
   */
  find(token: string): Claims | undefined {
    const end = token.slice(-END)
    const entry = this.#young.get(end) ?? this.#fromOld(end)
    if (entry?.token !== token || entry.until < performance.now()) return undefined
    return entry.deep ? JSON.parse(entry.text) as Claims : entry.claims
  }

  keep(token: string, claims: Claims): void {
    // The last character of a signature has unused bits: a token in several spellings gets one entry.
    if (canonical(token) !== token) return
    const deep = Object.values(claims).some((claim) => typeof claim === 'object' && claim !== null)
    const until = performance.now() + this.#seconds * 1000
    this.#put({ token, claims, text: JSON.stringify(claims), deep, until })
  }

  #fromOld(end: string): Entry | undefined {
    const entry = this.#old.get(end)
    if (entry !== undefined) this.#put(entry)
    return entry
  }

  #put(entry: Entry): void {
    const { token, text } = entry
    const size = token.length + text.length
    if (size > this.#size) return
    if (this.#young.size >= this.#entries || this.#youngSize + size > this.#size) {
      this.#old = this.#young
      this.#young = new Map()
      this.#youngSize = 0
    }
    this.#young.set(token.slice(-END), entry)
    this.#youngSize += size
  }
}

/** Characters at the end of a token, as many as the shortest signature has: tokens that share them share an entry. */
const END = 43

function canonical(token: string): string {
  return token.split('.').map((part) => Buffer.from(part, 'base64url').toString('base64url')).join('.')
}
