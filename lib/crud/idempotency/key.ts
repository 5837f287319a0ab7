import type { Request, RequestHandler } from 'express'
import { HttpError } from '../../errors.js'
import { stateOf } from '../../routing/request-state.js'

/** A String of a Structured Field (RFC 8941 §3.3.3), as the draft of the header has it. */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\]){1,255})"$/
/** The same without its quotes, as most send it: without blanks, commas and semicolons it can be nothing else. */
const BARE = /^[!#-+\--:<-~]{1,255}$/

/**
 * The `Idempotency-Key` of a request (draft-ietf-httpapi-idempotency-key-header-07 §2.1), `undefined` where there is none.
 *
 * @throws HttpError 400 `idempotency_key_invalid`, also for two of them.
 */
function keyOf(req: Request): string | undefined {
  const lines = req.headersDistinct['idempotency-key'] ?? []
  const [line = ''] = lines
  if (lines.length === 0) return undefined
  const key = QUOTED.exec(line)?.[1]?.replace(/\\(.)/g, '$1') ?? BARE.exec(line)?.[0]
  if (key !== undefined && lines.length === 1) return key
  throw new HttpError(400, 'Idempotency-Key must be 1 to 255 visible ASCII characters', { reason: 'idempotency_key_invalid' })
}

/** Names the owner of a key. */
export type Identity = (req: Request) => string | number | undefined

export const signedIn: Identity = (req) => req.auth?.id

/** @throws HttpError 400 `idempotency_key_missing`, where one is required. */
export function neededKeyOf(req: Request, required: boolean): string | undefined {
  const key = keyOf(req)
  if (key !== undefined || !required) return key
  throw new HttpError(400, 'The Idempotency-Key header is required', { reason: 'idempotency_key_missing' })
}

/** Refuses, before a byte of the body is read, a key that nothing can be done with, and a missing one where one is required. */
export function keyCheck(required: boolean, identity: Identity): RequestHandler {
  return (req, _res, next) => {
    if (neededKeyOf(req, required) !== undefined) ownerOf(req, identity)
    next()
  }
}

/**
 * Returns the owner of a key: a key without one would show one caller the reply to another.
 *
 * @throws HttpError 400 `idempotency_key_anonymous`.
 */
export function ownerOf(req: Request, identity: Identity): string | number {
  const owner = identity(req)
  if (owner !== undefined && owner !== '') return owner
  throw new HttpError(400, 'Idempotency-Key requires authentication', { reason: 'idempotency_key_anonymous' })
}

/**
 * Returns how the caller was identified, where the id alone does not tell: two applications, strategies or issuers may know different people
 * by the same id.
 */
export function originOf(req: Request): readonly unknown[] {
  const { auth } = req
  const { route, guards } = stateOf(req)
  if (auth === undefined) return []
  const [app, guard] = [...guards].find(([, one]) => one.auth === auth) ?? []
  const origin = [app === route?.app ? undefined : app, guard?.strategy, auth.iss]
  return origin.every((part) => part === undefined) ? [] : origin
}
