import { z } from 'zod'
import { fromParserError } from './body.js'
import { HttpError, isHttpError, ValidationError, type Fields, type Reason } from './errors.js'
import { STATUS_CODES, validateHeaderName, validateHeaderValue } from './node-http.js'
import { fromMulterError } from './upload/multer-error.js'
import { fromZodError } from './validate/fields.js'

/** What the caller may learn of an error. */
export interface Failure {
  readonly status: number
  readonly message: string
  readonly reason: string
  readonly fields: Fields | null
  readonly headers: Readonly<Record<string, string>>
}

/** The failure of which nothing is known, or may be. */
export const INTERNAL: Failure = Object.freeze({ status: 500, message: 'Something went wrong', reason: 'internal', fields: null, headers: {} })

/** Turns whatever was thrown into what may leave the house; it never throws itself. */
export function toFailure(error: unknown): Failure {
  try {
    return describe(known(error))
  } catch {
    return INTERNAL // a Proxy, a getter that throws
  }
}

function known(error: unknown): unknown {
  if (error instanceof HttpError) return error
  if (error instanceof z.core.$ZodError) return fromZodError(error)
  return fromParserError(error) ?? fromMulterError(error) ?? error
}

interface Loose {
  readonly status?: unknown
  readonly statusCode?: unknown
  readonly expose?: unknown
  readonly message?: unknown
  readonly reason?: unknown
  readonly headers?: unknown
}

function describe(error: unknown): Failure {
  if (typeof error !== 'object' || error === null) return INTERNAL
  // Each property is read once: a getter may answer differently the next time.
  const { status, statusCode, expose, message, reason, headers } = error as Loose
  const code = status ?? statusCode
  if (!isErrorStatus(code)) return INTERNAL
  return {
    status: code,
    message: messageOf(code, expose, message),
    reason: isReason(reason) ? reason : reasonOf(code),
    fields: error instanceof ValidationError ? error.fields : null,
    headers: headersOf(code, isHttpError(error) ? headers : undefined),
  }
}

/** `http-errors` lets the message of a 4xx leave, unless the error itself says otherwise. */
function messageOf(status: number, expose: unknown, message: unknown): string {
  const shown = typeof expose === 'boolean' ? expose : status < 500
  return shown && typeof message === 'string' && message !== '' ? message : textOf(status)
}

function isErrorStatus(status: unknown): status is number {
  return Number.isInteger(status) && (status as number) >= 400 && (status as number) <= 599
}

function isReason(reason: unknown): reason is string {
  return typeof reason === 'string' && /^[\w.-]{1,64}$/.test(reason)
}

function textOf(status: number): string {
  if (status === 503) return 'This is not available right now'
  return status >= 500 ? INTERNAL.message : (STATUS_CODES[status] ?? 'The request failed')
}

const REASONS: Readonly<Record<number, Reason>> = {
  403: 'forbidden', 404: 'not_found', 405: 'method', 409: 'conflict', 412: 'stale', 413: 'too_large', 415: 'media_type',
  422: 'validation', 428: 'precondition_missing', 503: 'unavailable',
}

function reasonOf(status: number): string {
  const reason = REASONS[status]
  if (reason !== undefined) return reason
  return status >= 500 ? 'internal' : (STATUS_CODES[status] ?? 'failed').toLowerCase().replace(/\W+/g, '_')
}

const NO_HEADERS: Failure['headers'] = Object.freeze({})

/** Of an error's headers those that Node can send: one bad value must not cost the reply. A 401 always says how to sign in (RFC 9110 §15.5.2). */
function headersOf(status: number, headers: unknown): Failure['headers'] {
  if (status !== 401 && (headers === undefined || headers === null)) return NO_HEADERS
  const sendable = Object.entries((headers ?? {}) as Record<string, string>).filter(([name, value]) => isSendable(name, value))
  return { ...(status === 401 && { 'WWW-Authenticate': 'Bearer' }), ...Object.fromEntries(sendable) }
}

function isSendable(name: string, value: string): boolean {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch {
    return false
  }
}
