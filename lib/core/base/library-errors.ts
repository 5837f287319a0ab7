import { isList } from './guards.js'
import { isHttpError } from './errors.js'

/*
 * Errors that well-known libraries throw for the client. They are recognised by the names, codes and methods that the
 * libraries document, in any version and copy. Their messages may contain what no client may see.
 */

/** The errors of auth0's express-oauth2-jwt-bearer, with their codes. */
const BEARER_ERRORS: Readonly<Record<string, string>> = {
  InvalidTokenError: 'invalid_token',
  InvalidRequestError: 'invalid_request',
  InsufficientScopeError: 'insufficient_scope',
  InvalidProofError: 'invalid_dpop_proof',
}

/** The names of errors of express-openapi-validator. */
// dprint-ignore
const VALIDATOR_ERRORS = new Set([
  'Bad Request', 'Unauthorized', 'Forbidden', 'Not Found', 'Method Not Allowed', 'Not Acceptable',
  'Request Entity Too Large', 'Unsupported Media Type',
])

interface Loose {
  readonly name?: unknown
  readonly status?: unknown
  readonly statusCode?: unknown
  readonly code?: unknown
  readonly errors?: unknown
  readonly ability?: unknown
  readonly action?: unknown
  readonly getStatus?: unknown
  readonly getResponse?: unknown
}

/**
 * Returns the 4xx status of an error that a well-known library throws for the client, `undefined` for any other error.
 */
export function libraryStatusOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || isHttpError(error)) return undefined
  const loose = read(error)
  if (isOfCasl(loose)) return 403
  if (isOfBetterAuth(loose)) return isClientStatus(loose.statusCode) ? loose.statusCode : undefined
  // Errors of clients of other services may have the same names, but most have a `statusCode` alone.
  const { status } = loose
  return isClientStatus(status) && isOfMiddleware(loose, status) ? status : undefined
}

/** Reads each property once, since a getter may return another value the next time. */
function read(error: Loose): Loose {
  const { name, status, statusCode, code, errors, ability, action, getStatus, getResponse } = error
  return { name, status, statusCode, code, errors, ability, action, getStatus, getResponse }
}

function isClientStatus(status: unknown): status is number {
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status < 500
}

function isOfMiddleware({ name, code, errors, getStatus, getResponse }: Loose, status: number): boolean {
  if (typeof getStatus === 'function' && typeof getResponse === 'function') return true // HttpException of NestJS
  if (typeof name !== 'string') return false
  if (name === 'UnauthorizedError') return status === 401 // express-jwt
  if (name === 'AuthenticationError') return true // passport
  if (Object.hasOwn(BEARER_ERRORS, name)) return BEARER_ERRORS[name] === code
  return VALIDATOR_ERRORS.has(name) && isList(errors)
}

/** The status of its `APIError` is a word, such as `UNAUTHORIZED`, beside the number in `statusCode`. */
function isOfBetterAuth({ name, status }: Loose): boolean {
  return name === 'APIError' && typeof status === 'string'
}

/** Its `ForbiddenError` has no status. */
function isOfCasl({ name, ability, action }: Loose): boolean {
  return name === 'ForbiddenError' && typeof ability === 'object' && ability !== null && typeof action === 'string'
}
