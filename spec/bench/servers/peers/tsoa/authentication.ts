import type { Request } from 'express'
import jwt from 'jsonwebtoken'
import { ROLES, SECRET } from '../../data.js'

export class Refusal extends Error {
  constructor(readonly status: number, message: string, readonly reason: string) {
    super(message)
  }
}

/** Checks `@Security`; called by the generated routes. */
export async function expressAuthentication(request: Request, _name: string, scopes: string[] = []): Promise<unknown> {
  const [scheme, token] = (request.headers.authorization ?? '').split(' ')
  if (scheme !== 'Bearer' || token === undefined) throw new Refusal(401, 'Authentication required', 'token_missing')
  let user: { role?: string }
  try {
    user = jwt.verify(token, SECRET, { algorithms: ['HS256'] }) as { role?: string }
  } catch {
    throw new Refusal(401, 'Sign in again', 'token_invalid')
  }
  if (!scopes.every((scope) => ROLES[user.role ?? '']?.includes(scope) === true)) {
    throw new Refusal(403, 'Not allowed', 'forbidden')
  }
  return user
}
