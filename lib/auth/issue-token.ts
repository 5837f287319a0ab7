import { MisuseError } from '../errors.js'
import { checkOptionNames } from '../options.js'
import type { Auth } from '../types.js'
import { isId, RESERVED, type Claims, type ReservedClaim } from './claims.js'
import { checkAppName, secondsOf } from './options.js'
import { secretKeys, type Secret } from './secret-keys.js'
import { now, signToken } from './sign-token.js'

/** What a token says of somebody; the claims that we write ourselves are not among them. */
export type TokenClaims = Auth & Readonly<Partial<Record<ReservedClaim, never>>>

export interface IssueTokenOptions {
  /** At least 32 bytes; of a list the first signs. */
  readonly secret: Secret | readonly Secret[]
  /**
   * Seconds until the token expires.
   *
   * @default 86_400
   */
  readonly expiresIn?: number | undefined
}

/**
 * An HS256 token that `auth(app, { secret })` accepts, with `aud`, `sub`, `iat`, `exp`, `jti` and `auth_time` beside your claims.
 *
 * It is signed, not encrypted: whoever holds it can read it.
 *
 * @throws MisuseError (as a rejection) for a weak secret, an id that names nobody, a reserved claim, seconds given as text.
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
  return signToken({ ...claims, aud: app, sub: String(claims.id), iat, exp: Math.floor(iat + lifetime), auth_time: iat }, keys)
}

function checkClaims(claims: Claims): void {
  const { id, role, permissions } = claims
  if (!isId(id)) throw new MisuseError('claim_id', 'The `id` of a token is a text that is not empty, or a finite number.')
  const reserved = RESERVED.find((name) => claims[name] !== undefined)
  if (reserved !== undefined) throw new MisuseError('claim_reserved', `The claim \`${reserved}\` is written by issueToken itself.`)
  if (role !== undefined && typeof role !== 'string') throw new MisuseError('claim_role', 'A `role` is a text, or left out.')
  if (permissions !== undefined && !isListOfText(permissions)) {
    throw new MisuseError('claim_permissions', '`permissions` is a list of texts, or left out.')
  }
}

function isListOfText(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}
