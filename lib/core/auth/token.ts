import type { Request } from 'express'
import { HttpError } from '../base/errors.js'
import { messageOf } from '../base/messages/messages.js'
import { isRepeated } from '../request/headers.js'
import { propertyOf } from '../base/guards.js'
import type { Auth } from '../base/types.js'

/** The claims of a verified token. */
export type Claims = Readonly<Record<string, unknown>>

/**
 * The claims that this package writes: the registered ones (RFC 7519 §4.1) and the time of sign-in (OpenID Connect Core
 * §2).
 */
export const RESERVED = ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'auth_time'] as const

export type ReservedClaim = (typeof RESERVED)[number]

/** Returns true for a non-empty string or a finite number, which can identify a caller. */
export function isId(id: unknown): id is string | number {
  return typeof id === 'number' ? Number.isFinite(id) : typeof id === 'string' && id !== ''
}

export function isAuth(value: unknown): value is Auth {
  return typeof value === 'object' && isId(propertyOf(value, 'id'))
}

/** Converts the claims of a token to a caller; returns `undefined` if `sub` and `id` identify no caller, or two. */
export function toAuth(claims: Claims): Auth | undefined {
  const { sub, id = sub } = claims
  if (!isId(id)) return undefined
  if (sub !== undefined && sub !== String(id)) return undefined
  return { ...claims, id }
}

/** Returns the claims that the application chose. */
export function ownClaims(claims: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !isReserved(name)))
}

/** Returns the claims that this package wrote. */
export function reservedClaims(claims: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => isReserved(name)))
}

function isReserved(name: string): boolean {
  const reserved: readonly string[] = RESERVED
  return reserved.includes(name)
}

/** Returns the current time in seconds since 1970, as claims count it (RFC 7519 §2, NumericDate). */
export function now(): number {
  return Math.floor(Date.now() / 1000)
}

/** A JSON Web Token as it was received. Nothing in it is verified: its header and issuer only select a strategy. */
export class BearerToken {
  readonly text: string
  #unverified: Unverified | undefined

  constructor(text: string) {
    this.text = text
  }

  /** Decoded on first use: a token that was verified before is not decoded again. */
  get unverified(): Unverified {
    return (this.#unverified ??= decode(this.text))
  }
}

interface Unverified {
  readonly alg: unknown
  readonly iss: unknown
}

const UNREADABLE: Unverified = { alg: undefined, iss: undefined }

function decode(text: string): Unverified {
  try {
    const [header = '', payload = ''] = text.split('.')
    const { alg, crit, typ } = parsePart(header)
    // A token with critical extensions is refused, since none is supported (RFC 7515 §4.1.11).
    return crit === undefined && isAccessToken(typ) ? { alg, iss: parsePart(payload).iss } : UNREADABLE
  } catch {
    return UNREADABLE
  }
}

/**
 * Types of an access token (RFC 9068 §2.1), and of a token without a purpose; a refresh token, for example, is refused.
 */
const ACCESS_TOKENS: readonly unknown[] = ['jwt', 'at+jwt', 'application/at+jwt']

function isAccessToken(typ: unknown): boolean {
  return typ === undefined || (typeof typ === 'string' && ACCESS_TOKENS.includes(typ.toLowerCase()))
}

/** Returns the value of a part: an object, or something without an `alg` and an `iss` (RFC 7519 §7.2). */
function parsePart(part: string): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(part, 'base64url').toString()) as Readonly<Record<string, unknown>>
}

/**
 * Returns the value of the `Authorization` header, `''` without one.
 *
 * @throws HttpError 400 for several such headers: Node.js keeps the first, while a proxy may have checked the last.
 */
export function authorizationOf({ rawHeaders, headers }: Request): string {
  if (isRepeated('authorization', rawHeaders)) throw new HttpError(400, messageOf('unreadable.authorization'))
  return headers.authorization ?? ''
}

/**
 * Returns the token of `Bearer <token>`, `undefined` for any other value (RFC 6750 §2.1). The scheme ignores letter
 * case (RFC 9110 §11.1).
 */
export function bearerOf(authorization: string): BearerToken | undefined {
  const text = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization)?.[1]
  return text === undefined ? undefined : new BearerToken(text)
}

/** Returns the token of a value that is a token and nothing else, `undefined` for any other value. */
export function bareTokenOf(authorization: string): BearerToken | undefined {
  return /^[\w-]+\.[\w-]+\.[\w-]+$/.test(authorization) ? new BearerToken(authorization) : undefined
}
