import createError from 'http-errors'
import { isThenable } from './thenable.js'

/** Why a request failed, as a stable word for programs in `meta.reason`; a business rule may bring its own. */
export type Reason =
  | 'validation' | 'token_missing' | 'token_invalid' | 'token_expired' | 'forbidden' | 'not_found' | 'method'
  | 'conflict' | 'stale' | 'precondition_missing' | 'too_large' | 'media_type' | 'unreadable' | 'unavailable' | 'internal'
  | 'idempotency_key_missing' | 'idempotency_key_invalid' | 'idempotency_key_anonymous' | 'idempotency_key_in_use' | 'idempotency_key_reused'

interface HttpErrorOptions extends ErrorOptions {
  readonly reason?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * An error with an HTTP status; the message of a 4xx is shown to the caller, that of a 5xx is not.
 *
 * `isHttpError` of `http-errors` is true of it, and so is `instanceof createError.HttpError`.
 *
 * @example
 * throw new HttpError(429, 'Too many requests', { headers: { 'Retry-After': '60' } })
 */
export class HttpError extends Error {
  readonly status: number
  readonly statusCode: number
  readonly expose: boolean
  readonly reason: string | undefined
  readonly headers: Readonly<Record<string, string>> | undefined

  constructor(status: number, message: string, options: HttpErrorOptions = {}) {
    super(message, options)
    this.status = this.statusCode = status
    this.expose = status < 500
    this.reason = options.reason
    this.headers = options.headers
    this.name = new.target.name
  }
}
Object.setPrototypeOf(HttpError.prototype, createError.HttpError.prototype as object)

/** Tells whether `http-errors` takes this for one of its own: ours, those of any copy of it, and errors that it has decorated. */
export const isHttpError: (error: unknown) => boolean = createError.isHttpError

/**
 * 404: no such record.
 *
 * @example
 * throw new NotFoundError('No such user')
 */
export class NotFoundError extends HttpError {
  constructor(message = 'Not found') {
    super(404, message, { reason: 'not_found' })
  }
}

/**
 * A business rule said no: a 4xx of your choice, with a reason of your own.
 *
 * @throws MisuseError `business_status` when the status is not a 4xx.
 * @example
 * throw new BusinessError('This user still has posts', 409, { reason: 'user.has_posts' })
 */
export class BusinessError extends HttpError {
  constructor(message: string, status = 400, { reason }: { reason?: string } = {}) {
    if (!Number.isInteger(status) || status < 400 || status > 499) {
      throw new MisuseError('business_status', `A BusinessError has a status from 400 to 499, not ${String(status)}.`)
    }
    super(status, message, { reason })
  }
}

/** The messages of each field: `{ "items.0.name": ["Too short"] }`; a fault of the whole stands under `_`. */
export type Fields = Readonly<Record<string, readonly string[]>>

const MOST_MESSAGES = 50

/**
 * 422: a value that was read breaks its rule; at most 50 messages are kept.
 *
 * The message of the whole is the first field's first message unless you give one.
 *
 * @example
 * throw new ValidationError({ email: ['This address is taken'] })
 */
export class ValidationError extends HttpError {
  readonly fields: Fields

  constructor(fields: Fields, message?: string, options?: ErrorOptions) {
    const kept = firstMessages(fields)
    super(422, message ?? firstOf(kept) ?? 'The data is not valid', { ...options, reason: 'validation' })
    this.fields = kept
  }
}

function firstMessages(fields: Fields): Fields {
  const kept: Record<string, readonly string[]> = Object.create(null) as Record<string, readonly string[]>
  let left = MOST_MESSAGES
  for (const field of Object.keys(fields)) {
    if (left === 0) break
    const messages = fields[field]?.slice(0, left) ?? []
    kept[field] = messages
    left -= messages.length
  }
  return kept
}

function firstOf(fields: Fields): string | undefined {
  for (const field in fields) return fields[field]?.[0]
  return undefined
}

/**
 * 401: nobody is signed in, or the credentials are not good.
 *
 * @example
 * throw new UnauthorizedError('Wrong e-mail or password')
 */
export class UnauthorizedError extends HttpError {
  constructor(message = 'Authentication required', { reason = 'token_invalid', challenge = 'Bearer' }: { reason?: string; challenge?: string } = {}) {
    super(401, message, { reason, headers: { 'WWW-Authenticate': challenge } })
  }
}

/**
 * 403: signed in, and not allowed. A `challenge` is for a missing permission alone (RFC 6750 §3.1), not for a business rule.
 *
 * @example
 * throw new ForbiddenError('Only the owner may do this')
 */
export class ForbiddenError extends HttpError {
  constructor(message = 'Permission denied', { reason = 'forbidden', challenge }: { reason?: string; challenge?: string } = {}) {
    super(403, message, challenge === undefined ? { reason } : { reason, headers: { 'WWW-Authenticate': challenge } })
  }
}

interface ConflictOptions extends ErrorOptions {
  readonly reason?: string | undefined
  /** The fields that conflict, each with its messages; at most 50 messages are kept. */
  readonly fields?: Fields | undefined
}

/**
 * 409: the write conflicts with what is stored; `data` of the reply holds the `fields`, where they are given.
 *
 * @example
 * throw new ConflictError('This e-mail address is taken', { fields: { email: ['Already taken'] } })
 */
export class ConflictError extends HttpError {
  readonly fields: Fields | undefined

  constructor(message = 'This conflicts with what is stored', { reason = 'conflict', fields, ...options }: ConflictOptions = {}) {
    super(409, message, { ...options, reason })
    this.fields = fields === undefined ? undefined : firstMessages(fields)
  }
}

/** 503: something this reply needs is down; the cause is logged and never shown. */
export class UnavailableError extends HttpError {
  constructor(message: string, options?: ErrorOptions) {
    super(503, message, { ...options, reason: 'unavailable' })
  }
}

/**
 * The value, or a 404 where there is none: a value in, a value out; a promise in, a promise out.
 *
 * @throws NotFoundError for `null` and `undefined`.
 * @example
 * const user = await findOrFail(db.findUser(id), 'No such user')
 */
export function findOrFail<T>(value: PromiseLike<T>, message?: string): Promise<NonNullable<T>>
export function findOrFail<T>(value: T, message?: string): NonNullable<T>
export function findOrFail<T>(value: T | PromiseLike<T>, message?: string): NonNullable<T> | Promise<NonNullable<T>> {
  if (isThenable(value)) return Promise.resolve(value).then((found) => present(found, message))
  return present(value, message)
}

function present<T>(value: T, message?: string): NonNullable<T> {
  if (value === null || value === undefined) throw new NotFoundError(message)
  return value
}

/**
 * A programmer's mistake, found when mounting or constructing; `code` is stable, the message is a sentence.
 *
 * @example
 * try { mountResource(router, declaration) } catch (error) { console.error(error.code, error.message) }
 */
export class MisuseError extends TypeError {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
    this.name = 'MisuseError'
  }
}
