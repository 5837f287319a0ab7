import type { Request } from 'express'
import { HttpError } from '../errors.js'
import { messageOf } from '../messages.js'

/** A JSON Web Token as it was presented. Nothing in it is verified: this only tells whose business it is. */
export class BearerToken {
  readonly text: string
  #marks: Marks | undefined

  constructor(text: string) {
    this.text = text
  }

  /** Read when it is asked for: a token that is known needs no reading. */
  get marks(): Marks {
    return (this.#marks ??= marksOf(this.text))
  }
}

interface Marks {
  readonly alg: unknown
  readonly iss: unknown
}

const UNREADABLE: Marks = { alg: undefined, iss: undefined }

function marksOf(text: string): Marks {
  try {
    const [header = '', payload = ''] = text.split('.')
    const { alg, crit, typ } = read(header)
    // An extension that must be understood: we understand none (RFC 7515 §4.1.11).
    return crit === undefined && isAccessToken(typ) ? { alg, iss: read(payload).iss } : UNREADABLE
  } catch {
    return UNREADABLE
  }
}

/** Types of an access token (RFC 9068 §2.1) and of one that does not say what it is for; a refresh token, for example, is none. */
const ACCESS_TOKENS: readonly unknown[] = ['jwt', 'at+jwt', 'application/at+jwt']

function isAccessToken(typ: unknown): boolean {
  return typ === undefined || (typeof typ === 'string' && ACCESS_TOKENS.includes(typ.toLowerCase()))
}

/** @throws TypeError, SyntaxError for what is no JSON object. */
function read(part: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString())
  if (typeof value !== 'object' || value === null) throw new TypeError('A part of a token is a JSON object (RFC 7519 §7.2).')
  return value as Readonly<Record<string, unknown>>
}

const NAME = 'authorization'

/**
 * The value of the one `Authorization` header, `''` where there is none.
 *
 * @throws HttpError 400 for several: Node would keep the first, a proxy in front may have judged the last.
 */
export function authorizationOf({ rawHeaders, headers }: Request): string {
  let lines = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === NAME.length && name.toLowerCase() === NAME) lines++
  }
  if (lines > 1) throw new HttpError(400, messageOf('unreadable.authorization'))
  return headers.authorization ?? ''
}

/** The token of `Bearer <token>` (RFC 6750 §2.1; RFC 9110 §11.1: the scheme in any case), `undefined` for anything else. */
export function bearerOf(authorization: string): BearerToken | undefined {
  const text = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i.exec(authorization)?.[1]
  return text === undefined ? undefined : new BearerToken(text)
}
