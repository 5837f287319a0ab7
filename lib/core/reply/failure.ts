import { z } from 'zod'
import { fromParserError } from '../request/errors.js'
import { ConflictError, HttpError, isHttpError, messageGivenTo, ValidationError, type Fields } from '../base/errors.js'
import { propertyOf } from '../base/guards.js'
import { libraryStatusOf } from '../base/library-errors.js'
import type { Reason } from '../base/reason.js'
import { messageOf, type Message } from '../base/messages/messages.js'
import { textOf } from '../base/messages/field-messages.js'
import { STATUS_PHRASES } from '../base/phrases.js'
import { fromMulterError } from '../upload/multer-error.js'
import { fromZodError } from '../validate/parse.js'

/** The part of an error that may be sent to the client. */
export interface Failure {
  readonly status: number
  /** Has a key if it is one of this package. */
  readonly message: string | Message
  readonly reason: string
  readonly fields: Fields | null
  /** Not checked: Node.js may refuse to send one. */
  readonly headers: Readonly<Record<string, string>>
}

/** The failure of every error that must not be shown to the client. */
export const INTERNAL: Failure = Object.freeze({
  status: 500,
  message: messageOf('internal'),
  reason: 'internal',
  fields: null,
  headers: {},
})

/** Returns true for an error whose status and, below 500, message may be sent to the client. */
export type Trust = (error: unknown) => boolean

/**
 * Converts a thrown value to the part that may be sent to the client; it never throws.
 *
 * An error keeps its status only if it is meant for the client. A `status` alone is not enough, since errors of HTTP
 * clients have one too.
 */
export function toFailure(error: unknown, trust: Trust = () => false): Failure {
  try {
    return describe(toHttpError(error), trust)
  } catch {
    return INTERNAL // a Proxy, a getter that throws
  }
}

function toHttpError(error: unknown): unknown {
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

function describe(error: unknown, trust: Trust): Failure {
  if (typeof error !== 'object' || error === null) return INTERNAL
  // Each property is read once: a getter may return another value the next time.
  const { status, statusCode, expose, message, reason, headers }: Loose = error
  const code = statusOf({ status, statusCode, expose })
  if (!isErrorStatus(code)) return fromLibrary(error, headers)
  const ofHttpErrors = isHttpError(error)
  return ofHttpErrors || expose === true || trust(error)
    ? toShown(error, { code, expose, message, reason, headers: ofHttpErrors ? headers : undefined })
    : fromLibrary(error, headers)
}

/** An error without a status that is meant for the client is a 500 with its own message. */
function statusOf({ status, statusCode, expose }: Loose): unknown {
  return status ?? statusCode ?? (expose === true ? 500 : undefined)
}

interface Shown extends Loose {
  readonly code: number
}

function toShown(error: object, { code, expose, message, reason, headers }: Shown): Failure {
  return {
    status: code,
    message: messageToShow(error, { code, expose, message }),
    reason: isReason(reason) ? reason : reasonOf(code),
    fields: error instanceof ValidationError || error instanceof ConflictError ? error.fields ?? null : null,
    headers: headersOf(code, headers),
  }
}

/** Keeps the 4xx status of an error of a well-known library, with a message of this package. */
function fromLibrary(error: object, headers: unknown): Failure {
  const status = libraryStatusOf(error)
  if (status === undefined) return INTERNAL
  const kept = headersOf(status, status === 405 ? { Allow: propertyOf(headers, 'Allow') } : undefined)
  return { status, message: messageFor(status), reason: reasonOf(status), fields: null, headers: kept }
}

/** Returns the message of a 4xx; a 5xx gets that of its status, unless the error has `expose: true`. */
function messageToShow(error: object, { code, expose, message }: Shown): string | Message {
  const isShown = typeof expose === 'boolean' ? expose : code < 500
  if (!isShown || typeof message !== 'string' || message === '') return messageFor(code)
  const translatable = error instanceof HttpError ? messageGivenTo(error) : message
  return textOf(translatable) === message ? translatable : message
}

function isErrorStatus(status: unknown): status is number {
  return typeof status === 'number' && Number.isInteger(status) && status >= 400 && status <= 599
}

function isReason(reason: unknown): reason is string {
  return typeof reason === 'string' && /^[\w.-]{1,64}$/.test(reason)
}

const MESSAGES: Readonly<Record<number, Message>> = {
  401: messageOf('token_missing'),
  403: messageOf('forbidden'),
  503: messageOf('unavailable'),
}

/** Returns the message of a status: one of this package, or the reason phrase of HTTP. */
function messageFor(status: number): string | Message {
  return MESSAGES[status] ?? (status >= 500 ? INTERNAL.message : STATUS_PHRASES[status] ?? messageOf('failed'))
}

// dprint-ignore
const REASONS: Readonly<Record<number, Reason>> = {
  403: 'forbidden', 404: 'not_found', 405: 'method', 409: 'conflict', 412: 'stale', 413: 'too_large', 415: 'media_type',
  422: 'validation', 428: 'precondition_missing', 503: 'unavailable',
}

function reasonOf(status: number): string {
  const reason = REASONS[status]
  if (reason !== undefined) return reason
  return status >= 500 ? 'internal' : (STATUS_PHRASES[status] ?? 'failed').toLowerCase().replace(/\W+/g, '_')
}

const NO_HEADERS: Failure['headers'] = Object.freeze({})

/** Returns the headers of an error as they are given. A 401 always has a challenge (RFC 9110 §15.5.2). */
function headersOf(status: number, headers: unknown): Failure['headers'] {
  const own = typeof headers === 'object' && headers !== null ? headers as Failure['headers'] : NO_HEADERS
  return status === 401 && own['WWW-Authenticate'] === undefined ? { 'WWW-Authenticate': 'Bearer', ...own } : own
}
