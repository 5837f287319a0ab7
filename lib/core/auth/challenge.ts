import { ForbiddenError, UnauthorizedError } from '../base/errors.js'
import { messageOf } from '../base/messages/messages.js'

/** Returns a 401 for a request without credentials, whose challenge names the realm and nothing else (RFC 6750 §3). */
export function tokenMissing(app: string): UnauthorizedError {
  return new UnauthorizedError(messageOf('token_missing'), { reason: 'token_missing', challenge: realm(app) })
}

/**
 * Returns a 401 for invalid credentials. Its message is the same whatever is wrong with them, so that it helps no
 * attacker.
 */
export function tokenInvalid(
  app: string,
  reason: 'token_invalid' | 'token_expired' | 'token_revoked' = 'token_invalid',
): UnauthorizedError {
  return new UnauthorizedError(messageOf(reason), { reason, challenge: `${realm(app)}, error="invalid_token"` })
}

/** Returns a 403 for an authenticated caller without the permission (RFC 6750 §3.1). */
export function insufficientScope(app: string): ForbiddenError {
  return new ForbiddenError(messageOf('forbidden'), { challenge: `${realm(app)}, error="insufficient_scope"` })
}

function realm(app: string): string {
  return `Bearer realm="${app}"`
}
