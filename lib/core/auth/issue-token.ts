import type { webcrypto } from 'node:crypto'
import { MisuseError } from '../base/errors.js'
import { isTexts } from '../base/forms.js'
import { isList } from '../base/guards.js'
import { checkOptionNames } from '../base/options.js'
import type { Auth } from '../base/types.js'
import { checkAppName, secondsOf } from './strategy.js'
import { jose } from './jose.js'
import { isId, now, RESERVED, type Claims, type ReservedClaim } from './token.js'

/** The claims of a token; those that `issueToken` writes itself are not allowed. */
type TokenClaims = Auth & Readonly<Partial<Record<ReservedClaim, never>>>

/** The secret of HS256: at least 32 bytes, as they are or as a UTF-8 string. */
export type Secret = string | Uint8Array

export interface IssueTokenOptions {
  /** At least 32 bytes; the first of a list signs. */
  readonly secret: Secret | readonly Secret[]
  /**
   * Seconds until the token expires.
   *
   * @default 86_400
   */
  readonly expiresIn?: number | undefined
}

/**
 * Issues an HS256 token that `auth(app, { secret })` accepts, with the claims `aud`, `sub`, `iat`, `exp`, `jti` and
 * `auth_time` beside yours.
 *
 * The token is signed and not encrypted: its holder can read it.
 *
 * @throws MisuseError (as a rejection) for a short secret, an empty id, a reserved claim, or seconds given as a string.
 * @example
 * const token = await issueToken('admin', { id: user.id, role: user.role }, { secret, expiresIn: 3600 })
 */
export async function issueToken(app: string, claims: TokenClaims, options: IssueTokenOptions): Promise<string> {
  checkAppName(app)
  checkOptionNames('issueToken', options, ['secret', 'expiresIn'])
  const { secret, expiresIn } = options
  const lifetime = secondsOf('expiresIn', expiresIn, 86_400)
  const keys = secretKeys(secret)
  checkClaims(claims)
  const iat = now()
  return signToken(
    { ...claims, aud: app, sub: String(claims.id), iat, exp: Math.floor(iat + lifetime), auth_time: iat },
    keys,
  )
}

function checkClaims(claims: Claims): void {
  const { id, role, permissions } = claims
  if (!isId(id)) throw new MisuseError('claim_id', 'The claim `id` must be a non-empty string or a finite number.')
  const reserved = RESERVED.find((name) => claims[name] !== undefined)
  if (reserved !== undefined) {
    throw new MisuseError('claim_reserved', `The claim \`${reserved}\` is written by issueToken: leave it out.`)
  }
  if (role !== undefined && typeof role !== 'string') {
    throw new MisuseError('claim_role', 'The claim `role` must be a string or left out.')
  }
  if (permissions !== undefined && !isTexts(permissions)) {
    throw new MisuseError('claim_permissions', 'The claim `permissions` must be a list of strings or left out.')
  }
}

type Key = Promise<webcrypto.CryptoKey>

/** Keys that are imported once: with a raw secret jose imports a key for every token, which doubles the time. */
export interface SecretKeys {
  readonly signing: Key
  readonly verifying: readonly Key[]
}

/** Signs claims with the first secret, with a `jti` that identifies the token. */
export async function signToken(claims: Claims, { signing }: SecretKeys): Promise<string> {
  const { SignJWT } = await jose()
  return new SignJWT(
    { ...claims, jti: crypto.randomUUID() },
  ).setProtectedHeader({ alg: 'HS256', typ: 'JWT' }).sign(await signing)
}

/** A key of HS256 must be at least as long as its hash (RFC 7518 §3.2). */
const MIN_BYTES = 32

/**
 * Imports the keys of one or several secrets: the first signs, all verify.
 *
 * @throws MisuseError `secret_missing` or `secret_weak`.
 */
export function secretKeys(secret: unknown): SecretKeys {
  const secrets = isList(secret) ? secret : [secret]
  const keys = secrets.map((text) => importKey(bytesOf(text)))
  const [signing] = keys
  if (signing === undefined) throw secretMissing()
  jose().catch(() => undefined) // begins to load now; the first token reports a failure
  return { signing, verifying: keys }
}

function bytesOf(secret: unknown): Uint8Array<ArrayBuffer> {
  if (typeof secret !== 'string' && !(secret instanceof Uint8Array)) throw secretMissing()
  const bytes = Buffer.from(secret)
  if (bytes.length >= MIN_BYTES) return bytes
  throw new MisuseError(
    'secret_weak',
    `A secret must have at least ${MIN_BYTES} bytes, this one has ${bytes.length}. ${ADVICE}`,
  )
}

function secretMissing(): MisuseError {
  return new MisuseError(
    'secret_missing',
    `The secret is missing: give a string, a Uint8Array or a list of them. ${ADVICE}`,
  )
}

const ADVICE = 'Generate one with `openssl rand -base64 48` and keep it out of the code.'

function importKey(bytes: Uint8Array<ArrayBuffer>): Key {
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
}
