import type { AuthScheme, Challenges } from '../base/auth-scheme.js'
import { ForbiddenError, isHttpError, UnauthorizedError, type HttpError } from '../base/errors.js'
import { messageOf } from '../base/messages/messages.js'
import { stateOf } from '../routing/request-state.js'

const BEARER: Challenges = Object.freeze(['Bearer'])

/** Returns the challenges for credentials; HTTP has no registered one for a key of its own. */
export function challengesOf(schemes: readonly AuthScheme[]): Challenges {
  return [...new Set(schemes.map((scheme) => {
    if (scheme.type === 'apiKey') return 'ApiKey'
    return scheme.type === 'http' && scheme.scheme === 'basic' ? 'Basic' : 'Bearer'
  }))]
}

/** Returns a 401 for a request without credentials, whose challenge names the realm and nothing else (RFC 6750 §3). */
export function tokenMissing(app: string, challenges: Challenges = BEARER): UnauthorizedError {
  return new UnauthorizedError(messageOf('token_missing'), {
    reason: 'token_missing',
    challenge: headerOf(app, challenges),
  })
}

/**
 * Returns a 401 for invalid credentials. Its message is the same whatever is wrong with them, so that it helps no
 * attacker.
 */
export function tokenInvalid(
  app: string,
  reason: 'token_invalid' | 'token_expired' | 'token_revoked' = 'token_invalid',
  challenges: Challenges = BEARER,
): UnauthorizedError {
  return new UnauthorizedError(messageOf(reason), { reason, challenge: headerOf(app, challenges, 'invalid_token') })
}

/** Returns a 403 for an authenticated caller without the permission (RFC 6750 §3.1). */
export function insufficientScope(app: string, challenges: Challenges = BEARER): ForbiddenError {
  if (!challenges.includes('Bearer')) return new ForbiddenError()
  return new ForbiddenError(undefined, { challenge: bearerChallenge(app, 'insufficient_scope') })
}

/**
 * Returns the error of a strategy, which knows of bearer tokens only, with the challenges of its application. A 401 of
 * the application's own keeps a challenge that it has, and its message and reason.
 */
export function challengeAs(error: Error, app: string, challenges: Challenges): Error {
  const { status, headers, reason }: Error & Partial<Pick<HttpError, 'status' | 'headers' | 'reason'>> = error
  if (!isHttpError(error) || status !== 401) return error
  const own = headers?.['WWW-Authenticate'] ?? 'Bearer'
  if (own === bearerChallenge(app, 'invalid_token')) return tokenInvalid(app, reason as 'token_invalid', challenges)
  if (own !== 'Bearer') return error
  // It stays the same error for the handler of the application. One that is frozen keeps its headers.
  Reflect.set(error, 'headers', { ...headers, 'WWW-Authenticate': headerOf(app, challenges) })
  return error
}

/**
 * Returns the challenge for a 401 of a handler, by the application of its route or else by the `auth` that ran last;
 * `undefined` where there is neither.
 */
export function challengeOfRoute(req: object): string | undefined {
  const { route, guards } = stateOf(req)
  const app = route?.app ?? [...guards.keys()].at(-1)
  return app === undefined ? undefined : headerOf(app, guards.get(app)?.challenges ?? BEARER)
}

/** Returns the header `WWW-Authenticate` with the challenges of an application (RFC 9110 §11.6.1). */
function headerOf(app: string, challenges: Challenges, error?: string): string {
  return challenges.map((challenge) => {
    if (challenge === 'Bearer') return bearerChallenge(app, error)
    return `${challenge} realm="${app}"${challenge === 'Basic' ? ', charset="UTF-8"' : ''}`
  }).join(', ')
}

function bearerChallenge(app: string, error: string | undefined): string {
  return error === undefined ? `Bearer realm="${app}"` : `Bearer realm="${app}", error="${error}"`
}
