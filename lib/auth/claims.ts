import type { Auth } from '../types.js'

/** What we write into a token ourselves: the registered claims (RFC 7519 §4.1) and the time of the sign-in (OpenID Connect Core §2). */
export const RESERVED = ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti', 'auth_time'] as const

export type ReservedClaim = (typeof RESERVED)[number]

export type Claims = Readonly<Record<string, unknown>>

/** Whether this can name somebody: a text that is not empty, a finite number. */
export function isId(id: unknown): id is string | number {
  return typeof id === 'number' ? Number.isFinite(id) : typeof id === 'string' && id !== ''
}

export function isAuth(value: unknown): value is Auth {
  return typeof value === 'object' && value !== null && isId((value as { id?: unknown }).id)
}

/** The claims of a token as `req.auth`, `undefined` where they name nobody, or two. */
export function authOf(claims: Claims): Auth | undefined {
  const { sub, id = sub } = claims
  if (!isId(id)) return undefined
  if (sub !== undefined && sub !== String(id)) return undefined
  return { ...claims, id }
}

/** The claims a user chose, without those that are ours to write. */
export function ownClaims(claims: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => !isReserved(name)))
}

/** The claims we wrote. */
export function reservedClaims(claims: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => isReserved(name)))
}

function isReserved(name: string): boolean {
  return (RESERVED as readonly string[]).includes(name)
}
