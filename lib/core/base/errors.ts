import createError from 'http-errors'
import { recognise } from './brand.js'
import { messageOf, type Message } from './messages/messages.js'
import { keepMessages, textOf, type FieldMessages, type Fields } from './messages/field-messages.js'
import { MisuseError } from './misuse.js'
import { checkOptionNames } from './options.js'
import { isThenable } from './promises.js'

export type { Fields } from './messages/field-messages.js'
export { MisuseError, type Library, type MisuseCode } from './misuse.js'

/** The message that an error was created with, in every copy of this package. */
const GIVEN = Symbol.for('resourcery.message')

/** Returns the message that an error was created with, which has a key if it is one of this package. */
export function messageGivenTo(error: HttpError & { readonly [GIVEN]?: string | Message }): string | Message {
  return error[GIVEN] ?? error.message
}

interface HttpErrorOptions extends ErrorOptions {
  readonly reason?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
}

/** A frozen `Error`, as under `--frozen-intrinsics`, keeps its limit. */
const canLimitStack = process.env.NODE_ENV === 'production' && !Object.isFrozen(Error)

/**
 * An error with an HTTP status. The message of a 4xx is sent to the client, that of a 5xx is not.
 *
 * With `NODE_ENV=production` a 4xx with a message of this package has no stack trace, since making one costs more than
 * the rest of a refusal.
 *
 * A class of your own that extends this one may have further options.
 *
 * `isHttpError` of `http-errors` returns true for it, and it is an `instanceof createError.HttpError`.
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
  readonly #given: string | Message

  static {
    Object.defineProperty(this.prototype, GIVEN, {
      get(this: HttpError) {
        return #given in this ? this.#given : undefined
      },
    })
  }

  constructor(status: number, message: string | Message, options: HttpErrorOptions = {}) {
    if (new.target === HttpError) checkOptionNames('new HttpError', options, ['reason', 'headers', 'cause'])
    const text = textOf(message)
    const { stackTraceLimit } = Error
    const isTraced = status >= 500 || typeof message === 'string' || !canLimitStack
    if (!isTraced) Error.stackTraceLimit = 0
    super(text, options)
    if (!isTraced) Error.stackTraceLimit = stackTraceLimit
    this.#given = message
    this.status = this.statusCode = status
    this.expose = status < 500
    this.reason = options.reason ?? (typeof message === 'string' ? undefined : message.reason)
    this.headers = options.headers
    this.name = new.target.name
  }
}
const { prototype: ofHttpErrors }: { readonly prototype: object } = createError.HttpError
Object.setPrototypeOf(HttpError.prototype, ofHttpErrors)

/**
 * Returns true for errors of this package, of any copy of `http-errors`, and for errors that `http-errors` has
 * decorated.
 */
export const isHttpError: (error: unknown) => error is Error & { readonly status: number } = createError.isHttpError

/**
 * 404: the record does not exist.
 *
 * @example
 * throw new NotFoundError('No such user')
 */
export class NotFoundError extends HttpError {
  constructor(message: string | Message = messageOf('not_found')) {
    super(404, message, { reason: 'not_found' })
  }
}

/**
 * A business rule refuses the request: a 4xx of your choice, with a reason of your own.
 *
 * @throws MisuseError `business_status` when the status is not a 4xx.
 * @example
 * throw new BusinessError('This user still has posts', 409, { reason: 'user.has_posts' })
 */
export class BusinessError extends HttpError {
  constructor(message: string, status = 400, options: { reason?: string } = {}) {
    if (new.target === BusinessError) checkOptionNames('new BusinessError', options, ['reason'])
    if (!Number.isInteger(status) || status < 400 || status > 499) {
      throw new MisuseError(
        'business_status',
        `The status of a BusinessError must be from 400 to 499, not ${String(status)}.`,
      )
    }
    super(status, message, { reason: options.reason })
  }
}

/**
 * 422: a value breaks its rule; at most 50 messages are kept.
 *
 * Without a message of its own the reply has the first message of the first field.
 *
 * @throws MisuseError `validation_fields` when a field has no list of messages.
 * @example
 * throw new ValidationError({ email: ['This address is taken'] })
 */
export class ValidationError extends HttpError {
  readonly fields: Fields

  constructor(fields: FieldMessages, message?: string | Message, options: ErrorOptions = {}) {
    if (new.target === ValidationError) checkOptionNames('new ValidationError', options, ['cause'])
    const { texts, first } = keepMessages(fields)
    super(422, message ?? first ?? messageOf('validation'), { ...options, reason: 'validation' })
    this.fields = texts
  }
}

interface ChallengeOptions {
  readonly reason?: string | undefined
  readonly challenge?: string | undefined
}

/**
 * 401: the caller is anonymous, or the credentials are not valid.
 *
 * @example
 * throw new UnauthorizedError('Wrong e-mail or password')
 */
export class UnauthorizedError extends HttpError {
  constructor(
    message: string | Message = messageOf('token_missing'),
    options: ChallengeOptions = {},
  ) {
    if (new.target === UnauthorizedError) checkOptionNames('new UnauthorizedError', options, ['reason', 'challenge'])
    const { reason = 'token_invalid', challenge = 'Bearer' } = options
    super(401, message, { reason, headers: { 'WWW-Authenticate': challenge } })
  }
}

/**
 * 403: the caller is not allowed to do this. A `challenge` is for a missing permission (RFC 6750 §3.1), not for a
 * business rule.
 *
 * @example
 * throw new ForbiddenError('Only the owner may do this')
 */
export class ForbiddenError extends HttpError {
  constructor(
    message: string | Message = messageOf('forbidden'),
    options: ChallengeOptions = {},
  ) {
    if (new.target === ForbiddenError) checkOptionNames('new ForbiddenError', options, ['reason', 'challenge'])
    const { reason = 'forbidden', challenge } = options
    super(403, message, challenge === undefined ? { reason } : { reason, headers: { 'WWW-Authenticate': challenge } })
  }
}

interface ConflictOptions extends ErrorOptions {
  readonly reason?: string | undefined
  /** The messages of the fields that conflict; at most 50 messages are kept. */
  readonly fields?: FieldMessages | undefined
}

/**
 * 409: the write conflicts with stored data; `data` of the reply contains the `fields` if they are given.
 *
 * @example
 * throw new ConflictError('This e-mail address is taken', { fields: { email: ['Already taken'] } })
 */
export class ConflictError extends HttpError {
  readonly fields: Fields | undefined

  constructor(message: string | Message = messageOf('conflict'), options: ConflictOptions = {}) {
    if (new.target === ConflictError) checkOptionNames('new ConflictError', options, ['reason', 'fields', 'cause'])
    const { reason, fields, ...others } = options
    super(409, message, { ...others, reason: reason ?? (typeof message === 'string' ? 'conflict' : message.reason) })
    this.fields = fields === undefined ? undefined : keepMessages(fields).texts
  }
}

/** 503: a service that the reply needs is not available; the cause is logged and never sent to a client. */
export class UnavailableError extends HttpError {
  constructor(message: string, options: ErrorOptions = {}) {
    if (new.target === UnavailableError) checkOptionNames('new UnavailableError', options, ['cause'])
    super(503, message, { ...options, reason: 'unavailable' })
  }
}

const CLASSES = { HttpError, NotFoundError, BusinessError, ValidationError, UnauthorizedError, ForbiddenError,
  ConflictError, UnavailableError }
for (const [name, constructor] of Object.entries(CLASSES)) recognise(constructor, name)

/**
 * Returns the value, or throws a 404 if there is none; for a promise it returns a promise.
 *
 * @throws NotFoundError for `null` and `undefined`.
 * @example
 * const user = await findOrFail(db.findUser(id), 'No such user')
 */
export function findOrFail<T>(value: PromiseLike<T>, message?: string): Promise<NonNullable<T>>
export function findOrFail<T>(value: T, message?: string): NonNullable<T>
export function findOrFail<T>(value: T | PromiseLike<T>, message?: string): NonNullable<T> | Promise<NonNullable<T>> {
  if (isThenable(value)) return Promise.resolve(value).then((settled) => requireValue(settled, message))
  return requireValue(value, message)
}

function requireValue<T>(value: T, message?: string): NonNullable<T> {
  if (value === null || value === undefined) throw new NotFoundError(message)
  return value
}
