import type { Request } from 'express'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { HttpError } from '../errors.js'

/** A JSON Web Token as it was presented. Nothing in it is verified: this only tells whose business it is. */
export interface BearerToken {
  readonly text: string
  readonly alg: unknown
  readonly iss: unknown
}

/**
 * The value of the one `Authorization` header, `''` where there is none.
 *
 * @throws HttpError 400 for several: Node would keep the first, a proxy in front may have judged the last.
 */
export function authorizationOf(req: Request): string {
  const lines = req.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'authorization')
  if (lines.length > 1) throw new HttpError(400, 'There is more than one Authorization header', { reason: 'unreadable' })
  return req.headers.authorization ?? ''
}

/** The token of `Bearer <token>` (RFC 6750 §2.1; RFC 9110 §11.1: the scheme in any case), `undefined` for anything else. */
export function bearerOf(authorization: string): BearerToken | undefined {
  const text = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization)?.[1]
  if (text === undefined) return undefined
  try {
    const { alg, crit } = decodeProtectedHeader(text)
    // An extension that must be understood: we understand none (RFC 7515 §4.1.11).
    return crit === undefined ? { text, alg, iss: decodeJwt(text).iss } : undefined
  } catch {
    return undefined
  }
}
