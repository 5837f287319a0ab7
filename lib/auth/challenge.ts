import { ForbiddenError, UnauthorizedError } from '../errors.js'
import { messageOf } from '../messages.js'

/** 401 without credentials: the challenge says where, and nothing more (RFC 6750 §3). */
export function tokenMissing(app: string): UnauthorizedError {
  return new UnauthorizedError(messageOf('token_missing'), { reason: 'token_missing', challenge: realm(app) })
}

/** 401 with bad credentials: the same message whatever is wrong with them, so that nobody learns what to try next. */
export function tokenInvalid(app: string, reason: 'token_invalid' | 'token_expired' = 'token_invalid'): UnauthorizedError {
  return new UnauthorizedError(messageOf(reason), { reason, challenge: `${realm(app)}, error="invalid_token"` })
}

/** 403: signed in, and the permission is missing (RFC 6750 §3.1). */
export function insufficientScope(app: string): ForbiddenError {
  return new ForbiddenError(messageOf('forbidden'), { challenge: `${realm(app)}, error="insufficient_scope"` })
}

function realm(app: string): string {
  return `Bearer realm="${app}"`
}
